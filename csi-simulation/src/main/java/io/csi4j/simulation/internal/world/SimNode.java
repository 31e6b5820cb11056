package io.csi4j.simulation.internal.world;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.simulation.internal.time.SimLocks;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A machine with its mounts and running workloads. */
public final class SimNode {
    public record Mount(VolumeKey volume, AllocationId allocationId) implements Comparable<Mount> {
        @Override
        public int compareTo(Mount other) {
            int order = volume.compareTo(other.volume);
            return order != 0 ? order : allocationId.compareTo(other.allocationId);
        }
    }

    /** The real programs that run on a simulated node. A node whose agent is only a model has none. */
    public interface Machine {
        Machine NONE = new Machine() {};

        default void losePower() {}

        default void boot() {}

        default void restartAgent() {}

        default void restartPlugin() {}

        /** Returns whether the agent has started and has unmounted the volumes of workloads that no longer run. */
        default boolean isReady() {
            return true;
        }

        /** Runs a task when the agent has started and has unmounted the volumes of workloads that no longer run. */
        default void whenReady(Runnable task) {
            task.run();
        }
    }

    public final NodeId id;
    public final ExternalNodeId externalId;
    private final Map<Mount, AttachmentMode> mounts = new TreeMap<>();
    /** The targets of each mount; a model of an agent has none. */
    private final Map<Mount, Set<String>> targets = new TreeMap<>();
    /** The uses that a model of an agent has recorded for its mounts. */
    private final Map<Mount, VolumeUse> uses = new TreeMap<>();

    /** The storage provider's ids of volumes, by the names that the node has for them. */
    private final Map<VolumeKey, ExternalVolumeId> ids = new TreeMap<>();

    private final Set<AllocationId> running = new TreeSet<>();
    /** The volumes with a staging path. */
    private final Set<VolumeKey> staged = new TreeSet<>();

    private final SimLocks locks = new SimLocks();
    private Machine machine = Machine.NONE;
    private boolean powered = true;
    private boolean reachable = true;
    /** Whether the host has removed the node. */
    private boolean removed;
    /** Whether another machine has the id of this one; this one may still run, but nobody reaches it. */
    private boolean replaced;

    private final int generation;
    private long cutOffs;
    private long changes;
    private long agentRestarts;
    private long pluginRestarts;

    public SimNode(NodeId id) {
        this(id, 1);
    }

    private SimNode(NodeId id, int generation) {
        this.id = id;
        this.generation = generation;
        this.externalId = ExternalNodeId.of("ext-" + id + (generation == 1 ? "" : "." + generation));
    }

    /** Returns the machine that takes over the id of this one. From now on, nobody reaches this one any more. */
    public SimNode replace() {
        replaced = true;
        removed = true;
        reachable = false;
        return new SimNode(id, generation + 1);
    }

    public boolean replaced() {
        return replaced;
    }

    public boolean answers() {
        return powered && reachable && !removed;
    }

    public boolean powered() {
        return powered;
    }

    public boolean removed() {
        return removed;
    }

    public void remove() {
        removed = true;
    }

    public void machine(Machine machine) {
        this.machine = machine;
    }

    public void powerOff() {
        powered = false;
        unmountAll();
        running.clear();
        machine.losePower();
    }

    public void powerOn() {
        boolean wasOff = !powered;
        powered = true;
        reachable = true;
        removed = false;
        if (wasOff) {
            machine.boot();
        }
    }

    /** Returns whether the agent has started and has unmounted the volumes of workloads that no longer run. */
    public boolean isReady() {
        return machine.isReady();
    }

    /** Runs a task when the node's agent has started. */
    public void whenReady(Runnable task) {
        machine.whenReady(task);
    }

    /**
     * Returns how often the network of this node was cut. A delayed task compares two results to detect a later cut.
     */
    public long cutOffs() {
        return cutOffs;
    }

    public void cutOff() {
        cutOffs++;
        reachable = false;
    }

    public void reconnect() {
        reachable = true;
    }

    /** Stops all workloads. A node that has lost its network does this by itself. */
    public void stopEverything() {
        unmountAll();
        running.clear();
        machine.losePower();
        machine.boot();
    }

    public void start(AllocationId allocationId) {
        running.add(allocationId);
    }

    public void stop(AllocationId allocationId) {
        running.remove(allocationId);
    }

    public boolean runs(AllocationId allocationId) {
        return powered && running.contains(allocationId);
    }

    public List<AllocationId> running() {
        return new ArrayList<>(running);
    }

    public Set<Mount> mounts() {
        return Collections.unmodifiableSet(mounts.keySet());
    }

    private void unmountAll() {
        changes++;
        mounts.clear();
        targets.clear();
        uses.clear();
        staged.clear();
        loseAgentCalls();
    }

    /** Counts changes of mounts. */
    public long changes() {
        return changes;
    }

    /** Notes by which name the node knows a volume; a volume that it has already keeps its name. */
    public void name(ExternalVolumeId id, VolumeKey name) {
        if (nameOf(id, name).filter(this::has).isEmpty()) {
            ids.values().remove(id);
            ids.put(name, id);
        }
    }

    /** Returns the storage provider's id of what the node has under a name; empty if it has nothing. */
    public Optional<ExternalVolumeId> idOf(VolumeKey name) {
        return has(name) ? Optional.ofNullable(ids.get(name)) : Optional.empty();
    }

    /**
     * Returns the name of a volume on the node.
     *
     * @param name the name of the volume in the state
     * @return empty if the node has another volume under this name
     */
    public Optional<VolumeKey> nameOf(ExternalVolumeId id, VolumeKey name) {
        for (Map.Entry<VolumeKey, ExternalVolumeId> entry : ids.entrySet()) {
            if (entry.getValue().equals(id)) {
                return Optional.of(entry.getKey());
            }
        }
        return hasOther(id, name) ? Optional.empty() : Optional.of(name);
    }

    /** Returns whether the node has another volume mounted or staged under this name. */
    public boolean hasOther(ExternalVolumeId id, VolumeKey name) {
        return idOf(name).filter(known -> !known.equals(id)).isPresent();
    }

    private boolean has(VolumeKey name) {
        return staged.contains(name) || hasMounted(name);
    }

    public void mount(Mount mount, AttachmentMode mode) {
        changes++;
        staged.add(mount.volume());
        mounts.put(mount, mode);
    }

    /** Records the use of a mount. */
    public void record(VolumeUse use) {
        uses.put(new Mount(use.volume(), use.allocationId()), use);
    }

    /** Returns the recorded uses of the mounts. */
    public List<VolumeUse> uses() {
        return List.copyOf(uses.values());
    }

    /** The attachment mode of a mount: file system or block device. */
    public Optional<AttachmentMode> mountedAs(Mount mount) {
        return Optional.ofNullable(mounts.get(mount));
    }

    /** Unmounts the volume, and unstages it after its last mount (R47). */
    public void unmount(Mount mount) {
        changes++;
        mounts.remove(mount);
        targets.remove(mount);
        uses.remove(mount);
        if (!hasMounted(mount.volume())) {
            unstage(mount.volume());
        }
    }

    public void unstage(VolumeKey volume) {
        changes++;
        staged.remove(volume);
    }

    public void stage(VolumeKey volume) {
        changes++;
        staged.add(volume);
    }

    /** Mounts a volume that is staged at a target. */
    public void publish(Mount mount, AttachmentMode mode, String target) {
        changes++;
        mounts.put(mount, mode);
        targets.computeIfAbsent(mount, unknown -> new TreeSet<>()).add(target);
    }

    /** Unmounts a target of a volume that stays staged. */
    public void unpublish(Mount mount, String target) {
        changes++;
        Set<String> left = new TreeSet<>(targets(mount));
        left.remove(target);
        if (left.isEmpty()) {
            mounts.remove(mount);
            targets.remove(mount);
        } else {
            targets.put(mount, left);
        }
    }

    /** Returns the targets of a mount; a model of an agent has none. */
    public Set<String> targets(Mount mount) {
        return Collections.unmodifiableSet(targets.getOrDefault(mount, Set.of()));
    }

    /** Whether a volume is mounted for an allocation, at this number of targets or more. A model mounts all at once. */
    public boolean hasTargets(Mount mount, long number) {
        return mounts.containsKey(mount)
                && (!targets.containsKey(mount) || targets(mount).size() >= number);
    }

    public Set<VolumeKey> staged() {
        return Collections.unmodifiableSet(staged);
    }

    public boolean isStaged(VolumeKey volume) {
        return staged.contains(volume);
    }

    /** Counts restarts of the agent; a restart loses the calls in progress. */
    public long agentRestarts() {
        return agentRestarts;
    }

    public void restartAgent() {
        loseAgentCalls();
        machine.restartAgent();
    }

    /** Ends the calls in progress at the agent. */
    public void loseAgentCalls() {
        agentRestarts++;
        locks.clear();
    }

    /** Counts restarts of the plugin. */
    public long pluginRestarts() {
        return pluginRestarts;
    }

    public void restartPlugin() {
        pluginRestarts++;
        machine.restartPlugin();
    }

    public boolean hasMounted(VolumeKey volume) {
        return mounts.keySet().stream().anyMatch(mount -> mount.volume().equals(volume));
    }

    /** The locks with which the node works on only one call for a volume at a time. */
    public SimLocks locks() {
        return locks;
    }
}
