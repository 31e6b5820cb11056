package io.csi4j.node.internal.worker;

import io.csi4j.core.id.AllocationId;
import io.csi4j.node.NodeVolumeId;
import java.util.Collection;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The unmounts of each workload that have not succeeded yet. They are kept here because the ledger may no longer list
 * the workload.
 */
public final class UnfinishedUnmounts {
    private final Map<AllocationId, Set<NodeVolumeId>> unfinished = new ConcurrentHashMap<>();

    /** Returns the volumes whose unmount for an allocation has not succeeded yet; another teardown unmounts them again. */
    public Collection<NodeVolumeId> of(AllocationId allocation) {
        return unfinished.getOrDefault(allocation, Set.of());
    }

    /** Records an unmount as unfinished, and removes the record when the unmount succeeds. */
    public CompletableFuture<?> watched(AllocationId allocation, NodeVolumeId id, CompletableFuture<?> unmount) {
        unfinished.compute(allocation, (key, known) -> with(known, id));
        var unused = unmount.whenComplete((nothing, error) -> {
            if (error == null) {
                unfinished.computeIfPresent(allocation, (key, known) -> without(known, id));
            }
        });
        return unmount;
    }

    private static Set<NodeVolumeId> with(@Nullable Set<NodeVolumeId> known, NodeVolumeId id) {
        Set<NodeVolumeId> now = new HashSet<>(known == null ? Set.of() : known);
        now.add(id);
        return now;
    }

    private static @Nullable Set<NodeVolumeId> without(Set<NodeVolumeId> known, NodeVolumeId id) {
        Set<NodeVolumeId> now = new HashSet<>(known);
        now.remove(id);
        return now.isEmpty() ? null : now;
    }
}
