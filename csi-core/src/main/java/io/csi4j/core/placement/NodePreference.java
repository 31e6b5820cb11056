package io.csi4j.core.placement;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.volume.WorkloadOwner;
import java.util.Collection;
import java.util.Comparator;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** The nodes that a scheduler prefers for the volumes that a claim makes. Immutable. */
public final class NodePreference {
    private final boolean mostFree;
    private final @Nullable WorkloadOwner workload;
    private final Set<AllocationId> group;

    private NodePreference(boolean mostFree, @Nullable WorkloadOwner workload, Set<AllocationId> group) {
        this.mostFree = mostFree;
        this.workload = workload;
        this.group = group;
    }

    /** Returns the preference for the nodes on which the most capacity stays free: volumes spread over the storage. */
    public static NodePreference mostFree() {
        return new NodePreference(true, null, Set.of());
    }

    /** Returns the preference for the nodes on which the least capacity stays free: volumes fill one place after the other. */
    public static NodePreference leastFree() {
        return new NodePreference(false, null, Set.of());
    }

    /**
     * Returns the same preference, and before it that for nodes in the topologies with the fewest volumes of a workload.
     *
     * @param owner the workload to which the volumes belong, in the namespace of the allocation
     */
    public NodePreference spreading(WorkloadOwner owner) {
        return new NodePreference(mostFree, Objects.requireNonNull(owner, "owner"), group);
    }

    /**
     * Returns the same preference, and before it that for nodes in the topologies with the fewest volumes of a group.
     *
     * @param allocations the other allocations of the group; the volumes that they have claimed count
     */
    public NodePreference spreadingGroup(Collection<AllocationId> allocations) {
        return new NodePreference(mostFree, workload, Set.copyOf(allocations));
    }

    Optional<WorkloadOwner> workload() {
        return Optional.ofNullable(workload);
    }

    Set<AllocationId> group() {
        return group;
    }

    /** Returns the order of nodes, the best one first. */
    Comparator<RankedNode> order() {
        Comparator<RankedNode> byFree =
                Comparator.comparingLong(node -> node.freeBytes().orElse(0));
        return Comparator.comparingInt(RankedNode::rank)
                .thenComparing(RankedNode::unlikely)
                .thenComparingInt(RankedNode::workloadVolumes)
                .thenComparing(node -> node.freeBytes().isEmpty())
                .thenComparing(mostFree ? byFree.reversed() : byFree)
                .thenComparing(node -> node.answer().nodeId());
    }
}
