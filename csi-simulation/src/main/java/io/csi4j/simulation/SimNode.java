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

/** A machine: what really is mounted and runs there. */
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
    /** The volumes that have a staging path. */
    private final Set<VolumeKey> staged = new TreeSet<>();

    private final SimLocks locks = new SimLocks();
    private boolean powered = true;
    private boolean reachable = true;
    /** The host took it away for good, or is about to. */
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

    /** How often it was cut off: tells one time from another. */
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

    /** What a cut off node does by itself, as the host promised. */
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

    /** Counts what changed of the mounts. */
    long changes() {
        return changes;
    }

    void mount(Mount mount, AttachmentMode mode) {
        changes++;
        staged.add(mount.volume());
        mounts.put(mount, mode);
    }

    /** As what it is there, a file system or a device. */
    Optional<AttachmentMode> mountedAs(Mount mount) {
        return Optional.ofNullable(mounts.get(mount));
    }

    /** Unmounts, and unstages if that was the last user of the staging path (R47). */
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

    /** How often the agent began anew: what an earlier one was about to do is lost. */
    long agentRestarts() {
        return agentRestarts;
    }

    void restartAgent() {
        agentRestarts++;
        locks.clear();
    }

    /** How often the plugin began anew. */
    long pluginRestarts() {
        return pluginRestarts;
    }

    void restartPlugin() {
        pluginRestarts++;
    }

    boolean hasMounted(VolumeKey volume) {
        return mounts.keySet().stream().anyMatch(mount -> mount.volume().equals(volume));
    }

    /** The node works on one call for a volume at a time. */
    SimLocks locks() {
        return locks;
    }
}
