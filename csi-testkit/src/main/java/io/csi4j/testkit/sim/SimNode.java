package io.csi4j.testkit.sim;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
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
    private final Set<Mount> mounts = new TreeSet<>();
    private final Set<AllocationId> running = new TreeSet<>();
    private final Set<VolumeKey> busy = new HashSet<>();
    private boolean powered = true;
    private boolean reachable = true;
    /** The host took it away for good, or is about to. */
    private boolean removed;

    private long cutOffs;

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
        mounts.clear();
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
        mounts.clear();
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
        return mounts;
    }

    boolean hasMounted(VolumeKey volume) {
        return mounts.stream().anyMatch(mount -> mount.volume().equals(volume));
    }

    /** The node works on one call for a volume at a time. */
    boolean begin(VolumeKey volume) {
        return busy.add(volume);
    }

    void end(VolumeKey volume) {
        busy.remove(volume);
    }
}
