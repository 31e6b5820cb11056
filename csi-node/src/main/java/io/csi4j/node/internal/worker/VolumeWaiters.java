package io.csi4j.node.internal.worker;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.node.MountSecrets;
import io.csi4j.node.MountedVolume;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountFacts;
import io.csi4j.node.internal.mount.NodePaths;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The futures that wait for mounts and unmounts of one volume, and the uses that are new. Used in the tasks of the worker only.
 */
public final class VolumeWaiters {
    private final NodePaths paths;
    private final LedgerRecord record;
    private final NodeCalls calls;
    private final Consumer<Runnable> later;
    private final List<MountWait<MountedVolume>> mounts = new ArrayList<>();
    private final List<MountWait<@Nullable Void>> unmounts = new ArrayList<>();
    private final Consumer<Runnable> serially;
    /**
     * The allocations for which the volume is being mounted for the first time. If such a mount fails permanently, the
     * futures that wait for it fail, and the allocation's use of the volume ends.
     */
    private final Set<AllocationId> fresh = new HashSet<>();
    /**
     * Counts the futures to which the first mount of an allocation is reported. If every such future was cancelled
     * before the report, the allocation's use of the volume ends.
     */
    private final Map<AllocationId, Reports> reports = new HashMap<>();

    /**
     * Counts how often the first mount of a use was reported to waiting futures, and how many of these reports came too
     * late, because every future was cancelled before. Instances are compared by identity.
     */
    private static final class Reports {
        private int reported;
        private int missed;
    }

    /**
     * Creates an object that has no waiting futures yet.
     *
     * @param later completes futures outside of the serial execution
     * @param serially runs a task in the serial execution of the worker
     */
    VolumeWaiters(
            NodePaths paths,
            LedgerRecord record,
            NodeCalls calls,
            Consumer<Runnable> later,
            Consumer<Runnable> serially) {
        this.paths = paths;
        this.record = record;
        this.calls = calls;
        this.later = later;
        this.serially = serially;
    }

    boolean none() {
        return mounts.isEmpty() && unmounts.isEmpty();
    }

    /**
     * Handles a mount request after its use was added to the record. Unmounts that wait for the same allocation fail.
     */
    void comes(AllocationId allocation, boolean isNew, MountSecrets secrets) {
        if (isNew) {
            fresh.add(allocation);
            reports.remove(allocation);
        }
        record.keepUse(allocation);
        failUnmount(
                allocation, withdrawn("was mounted again for allocation " + allocation + " before it was unmounted"));
        calls.secrets(allocation, secrets);
    }

    /** Marks the use of an allocation as one that has to end. The futures that wait for its mount fail. */
    void goes(AllocationId allocation) {
        failMount(allocation, withdrawn("was unmounted for allocation " + allocation + " before it was mounted"));
        record.endUse(allocation);
    }

    private NodeVolumeException withdrawn(String what) {
        return new NodeVolumeException(
                Reason.WITHDRAWN, "Volume " + record.entry().key() + " " + what);
    }

    /**
     * Ends a caller's wait without success. If the caller's request created the use and its mount never succeeded, ends
     * the use, too.
     */
    void abandon(MountWait<?> wait) {
        AllocationId allocation = wait.allocationId();
        if (remove(wait) && fresh.contains(allocation)) {
            record.endUse(allocation);
        }
    }

    /** Fails the futures of a mount that was refused before any call was made for it. */
    void refuse(AllocationId allocation, Throwable error) {
        fresh.remove(allocation);
        if (record.entry().use(allocation).isEmpty()) {
            calls.forgetSecrets(allocation);
        }
        failMount(allocation, error);
    }

    /**
     * Handles a permanent failure of a mount. At the first mount of a use, the waiting futures fail and the use ends.
     * Has no effect on a volume that is being mounted again for a use.
     */
    void fail(AllocationId allocation, Throwable error) {
        if (fresh.contains(allocation)) {
            failMount(allocation, error);
            record.endUse(allocation);
        }
    }

    /** Forgets a use whose end is stored. */
    void ended(AllocationId allocation) {
        fresh.remove(allocation);
        reports.remove(allocation);
        calls.forgetSecrets(allocation);
    }

    /** Ends a use if every future that waited for its first mount was cancelled before the mount was reported. */
    private void missed(AllocationId allocation, Reports which) {
        which.missed++;
        if (which.missed < which.reported || !which.equals(reports.get(allocation))) {
            return;
        }
        reports.remove(allocation);
        if (isMounting(allocation)) {
            // Keeps the use, because it was requested again in the meantime. The new request now waits for the first
            // mount.
            fresh.add(allocation);
        } else {
            record.endUse(allocation);
        }
    }

    /** Completes the futures whose mount or unmount is finished and stored in the ledger. Returns whether there were any. */
    boolean completeDone(MountFacts facts) {
        boolean completed = false;
        VolumeEntry entry = record.entry();
        VolumeEntry stored = record.stored();
        for (UseEntry use : entry.uses()) {
            if (use.phase() == UsePhase.PUBLISHED
                    && !facts.lost(use)
                    && stored.uses().contains(use)) {
                AllocationId allocation = use.allocationId();
                if (fresh.remove(allocation) && isMounting(allocation)) {
                    reports.put(allocation, new Reports());
                }
                Reports first = reports.get(allocation);
                calls.forgetSecrets(allocation);
                boolean waited = completeMounts(
                        allocation,
                        new MountedVolume(
                                entry.key(),
                                allocation,
                                paths.target(entry.key(), allocation),
                                use.terms().capability().attachmentMode(),
                                use.terms().readonly()),
                        () -> {
                            if (first != null) {
                                serially.accept(() -> missed(allocation, first));
                            }
                        });
                if (waited && first != null) {
                    first.reported++;
                }
                completed |= waited;
            }
        }
        boolean othersStay = !entry.living().isEmpty()
                || (entry.rebuilt() && !facts.orphanedTargets().isEmpty());
        boolean down = entry.staging() == null
                && stored.staging() == null
                && facts.orphanedTargets().isEmpty()
                && facts.orphanedStagings().isEmpty();
        return completeUnmounts(allocation -> entry.use(allocation).isEmpty()
                        && stored.use(allocation).isEmpty()
                        && !record.hasToEnd(allocation)
                        && (othersStay || down))
                || completed;
    }

    void mount(MountWait<MountedVolume> wait) {
        mounts.add(wait);
    }

    void unmount(MountWait<@Nullable Void> wait) {
        unmounts.add(wait);
    }

    private boolean isMounting(AllocationId allocation) {
        return mounts.stream().anyMatch(wait -> wait.allocationId().equals(allocation));
    }

    /**
     * Removes a wait that was cancelled or timed out. Returns true if it waited for a mount, and no other future waits
     * for the same mount.
     */
    private boolean remove(MountWait<?> wait) {
        boolean was = mounts.removeIf(wait::equals);
        unmounts.removeIf(wait::equals);
        wait.end();
        return was && !isMounting(wait.allocationId());
    }

    /**
     * Completes the futures of a mount. Returns whether there were any.
     *
     * @param missed runs if all futures were cancelled before the mount
     */
    private boolean completeMounts(AllocationId allocation, MountedVolume volume, Runnable missed) {
        List<MountWait<MountedVolume>> waiting =
                take(mounts, wait -> wait.allocationId().equals(allocation));
        if (waiting.isEmpty()) {
            return false;
        }
        AtomicInteger left = new AtomicInteger();
        // Completes each future in a separate task, because a callback may block.
        waiting.forEach(wait -> later.accept(() -> {
            if (!wait.complete(volume) && left.incrementAndGet() == waiting.size()) {
                missed.run();
            }
        }));
        return true;
    }

    private boolean completeUnmounts(Predicate<AllocationId> done) {
        List<MountWait<@Nullable Void>> waiting = take(unmounts, wait -> done.test(wait.allocationId()));
        waiting.forEach(wait -> later.accept(() -> wait.complete(null)));
        return !waiting.isEmpty();
    }

    void failMount(AllocationId allocation, Throwable error) {
        fail(take(mounts, wait -> wait.allocationId().equals(allocation)), error);
    }

    private void failUnmount(AllocationId allocation, Throwable error) {
        fail(take(unmounts, wait -> wait.allocationId().equals(allocation)), error);
    }

    void failAll(Throwable error) {
        fail(take(mounts, wait -> true), error);
        fail(take(unmounts, wait -> true), error);
    }

    private <T> void fail(List<MountWait<T>> waiting, Throwable error) {
        waiting.forEach(wait -> later.accept(() -> wait.fail(error)));
    }

    private static <T> List<MountWait<T>> take(List<MountWait<T>> waits, Predicate<MountWait<T>> which) {
        List<MountWait<T>> taken = waits.stream().filter(which).toList();
        waits.removeAll(taken);
        return taken;
    }

    /** A future that waits for a mount or an unmount, with its time limit. Compared by identity. */
    static final class MountWait<T> {
        private final AllocationId allocationId;
        private final CompletableFuture<T> future;
        private final Cancellable limit;

        MountWait(AllocationId allocationId, CompletableFuture<T> future, Cancellable limit) {
            this.allocationId = allocationId;
            this.future = future;
            this.limit = limit;
        }

        AllocationId allocationId() {
            return allocationId;
        }

        /** Completes the future; returns false if it was complete already. */
        boolean complete(@Nullable T value) {
            limit.cancel();
            return future.complete(value);
        }

        void fail(Throwable error) {
            limit.cancel();
            future.completeExceptionally(error);
        }

        /** Cancels the time limit after the future has completed. */
        void end() {
            limit.cancel();
        }
    }
}
