package io.csi4j.simulation;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.AttachmentMode;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** A machine with its mounts and running workloads. */
final class SimNode {
    record Mount(VolumeKey volume, AllocationId allocationId) implements Comparable<Mount> {
        @Override
        public int compareTo(Mount other) {
            int order = volume.compareTo(other.volume);
            return order != 0 ? order : allocationId.compareTo(other.allocationId);
        }
    }

    final NodeId id;
    final ExternalNodeId externalId;
    private final Map<Mount, AttachmentMode> mounts = new TreeMap<>();
    private final Set<AllocationId> running = new TreeSet<>();
    /** The volumes with a staging path. */
    private final Set<VolumeKey> staged = new TreeSet<>();

    private final SimLocks locks = new SimLocks();
    private boolean powered = true;
    private boolean reachable = true;
    /** Whether the host has removed the node. */
    private boolean removed;

    private long cutOffs;
    private long changes;
    private long agentRestarts;
    private long pluginRestarts;

    SimNode(NodeId id) {
        this.id = id;
        this.externalId = ExternalNodeId.of("ext-" + id);
    }

    boolean answers() {
        return powered && reachable && !removed;
    }

    boolean powered() {
        return powered;
    }

    boolean removed() {
        return removed;
    }

    void remove() {
        removed = true;
    }

    void powerOff() {
        powered = false;
        unmountAll();
        running.clear();
    }

    void powerOn() {
        powered = true;
        reachable = true;
        removed = false;
    }

    /** Counts the cut-offs, so that a task can tell whether its cut-off is the current one. */
    long cutOffs() {
        return cutOffs;
    }

    void cutOff() {
        cutOffs++;
        reachable = false;
    }

    void reconnect() {
        reachable = true;
    }

    /** Stops all workloads, as a cut-off node does itself. */
    void stopEverything() {
        unmountAll();
        running.clear();
    }

    void start(AllocationId allocationId) {
        running.add(allocationId);
    }

    void stop(AllocationId allocationId) {
        running.remove(allocationId);
    }

    boolean runs(AllocationId allocationId) {
        return powered && running.contains(allocationId);
    }

    List<AllocationId> running() {
        return new ArrayList<>(running);
    }

    Set<Mount> mounts() {
        return Collections.unmodifiableSet(mounts.keySet());
    }

    private void unmountAll() {
        changes++;
        mounts.clear();
        staged.clear();
        restartAgent();
    }

    /** Counts changes of mounts. */
    long changes() {
        return changes;
    }

    void mount(Mount mount, AttachmentMode mode) {
        changes++;
        staged.add(mount.volume());
        mounts.put(mount, mode);
    }

    /** The attachment mode of a mount: file system or block device. */
    Optional<AttachmentMode> mountedAs(Mount mount) {
        return Optional.ofNullable(mounts.get(mount));
    }

    /** Unmounts the volume, and unstages it after its last mount (R47). */
    void unmount(Mount mount) {
        changes++;
        mounts.remove(mount);
        if (!hasMounted(mount.volume())) {
            unstage(mount.volume());
        }
    }

    void unstage(VolumeKey volume) {
        staged.remove(volume);
    }

    boolean isStaged(VolumeKey volume) {
        return staged.contains(volume);
    }

    /** Counts restarts of the agent; a restart loses the calls in progress. */
    long agentRestarts() {
        return agentRestarts;
    }

    void restartAgent() {
        agentRestarts++;
        locks.clear();
    }

    /** Counts restarts of the plugin. */
    long pluginRestarts() {
        return pluginRestarts;
    }

    void restartPlugin() {
        pluginRestarts++;
    }

    boolean hasMounted(VolumeKey volume) {
        return mounts.keySet().stream().anyMatch(mount -> mount.volume().equals(volume));
    }

    /** The node works on one call for each volume at a time. */
    SimLocks locks() {
        return locks;
    }
}
