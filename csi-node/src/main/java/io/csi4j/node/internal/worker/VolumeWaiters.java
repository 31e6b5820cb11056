package io.csi4j.node.internal.worker;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.node.MountSecrets;
import io.csi4j.node.MountedVolume;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
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
    private final List<MountWait<UseId, MountedVolume>> mounts = new ArrayList<>();
    private final List<MountWait<AllocationId, @Nullable Void>> unmounts = new ArrayList<>();
    private final Consumer<Runnable> serially;
    /**
     * The uses that are being mounted for the first time. If such a mount fails permanently, the futures that wait for it
     * fail, and the use ends.
     */
    private final Set<UseId> fresh = new HashSet<>();
    /**
     * Counts the futures to which the first mount of a use is reported. If every such future was cancelled before the
     * report, the use ends.
     */
    private final Map<UseId, Reports> reports = new HashMap<>();

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
    void comes(UseId use, boolean isNew, MountSecrets secrets) {
        if (isNew) {
            fresh.add(use);
            reports.remove(use);
        }
        record.keepUse(use);
        AllocationId allocation = use.allocationId();
        failUnmount(
                allocation, withdrawn("was mounted again for allocation " + allocation + " before it was unmounted"));
        calls.secrets(use, secrets);
    }

    /** Marks the uses of an allocation as ones that have to end. The futures that wait for its mounts fail. */
    void goes(AllocationId allocation) {
        fail(
                take(mounts, wait -> wait.key().allocationId().equals(allocation)),
                withdrawn("was unmounted for allocation " + allocation + " before it was mounted"));
        record.entry().usesOf(allocation).forEach(use -> record.endUse(use.id()));
    }

    private NodeVolumeException withdrawn(String what) {
        return new NodeVolumeException(
                Reason.WITHDRAWN, "Volume " + record.entry().key() + " " + what);
    }

    /**
     * Ends a caller's wait without success. If the caller's request created the use and its mount never succeeded, ends
     * the use, too.
     */
    void abandon(MountWait<?, ?> wait) {
        if (remove(wait) && wait.key() instanceof UseId use && !isMounting(use) && fresh.contains(use)) {
            record.endUse(use);
        }
    }

    /** Fails the futures of a mount that was refused before any call was made for it. */
    void refuse(UseId use, Throwable error) {
        fresh.remove(use);
        if (record.entry().use(use).isEmpty()) {
            calls.forgetSecrets(use);
        }
        failMount(use, error);
    }

    /**
     * Handles a permanent failure of a mount. At the first mount of a use, the waiting futures fail and the use ends.
     * Has no effect on a volume that is being mounted again for a use.
     */
    void fail(UseId use, Throwable error) {
        if (fresh.contains(use)) {
            failMount(use, error);
            record.endUse(use);
        }
    }

    /** Forgets a use whose end is stored. */
    void ended(UseId use) {
        fresh.remove(use);
        reports.remove(use);
        calls.forgetSecrets(use);
    }

    /** Ends a use if every future that waited for its first mount was cancelled before the mount was reported. */
    private void missed(UseId use, Reports which) {
        which.missed++;
        if (which.missed < which.reported || !which.equals(reports.get(use))) {
            return;
        }
        reports.remove(use);
        if (isMounting(use)) {
            // Keeps the use, because it was requested again in the meantime. The new request now waits for the first
            // mount.
            fresh.add(use);
        } else {
            record.endUse(use);
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
                    && !use.renewal().changed()
                    && stored.uses().contains(use)) {
                UseId id = use.id();
                if (fresh.remove(id) && isMounting(id)) {
                    reports.put(id, new Reports());
                }
                Reports first = reports.get(id);
                calls.forgetSecrets(id);
                boolean waited = completeMounts(
                        id,
                        new MountedVolume(
                                entry.key(),
                                use.allocationId(),
                                paths.target(entry.key(), id),
                                use.terms().capability().attachmentMode(),
                                use.terms().readonly(),
                                entry.mountedLabel(use.terms()).isPresent()),
                        () -> {
                            if (first != null) {
                                serially.accept(() -> missed(id, first));
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
        return completeUnmounts(allocation -> entry.usesOf(allocation).isEmpty()
                        && stored.usesOf(allocation).isEmpty()
                        && !record.hasToEnd(allocation)
                        && (othersStay || down))
                || completed;
    }

    void mount(MountWait<UseId, MountedVolume> wait) {
        mounts.add(wait);
    }

    void unmount(MountWait<AllocationId, @Nullable Void> wait) {
        unmounts.add(wait);
    }

    private boolean isMounting(UseId use) {
        return mounts.stream().anyMatch(wait -> wait.key().equals(use));
    }

    /** Removes a wait that was cancelled or timed out. Returns true if it waited for a mount. */
    private boolean remove(MountWait<?, ?> wait) {
        boolean was = mounts.removeIf(wait::equals);
        unmounts.removeIf(wait::equals);
        wait.end();
        return was;
    }

    /**
     * Completes the futures of a mount. Returns whether there were any.
     *
     * @param missed runs if all futures were cancelled before the mount
     */
    private boolean completeMounts(UseId use, MountedVolume volume, Runnable missed) {
        List<MountWait<UseId, MountedVolume>> waiting =
                take(mounts, wait -> wait.key().equals(use));
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
        List<MountWait<AllocationId, @Nullable Void>> waiting = take(unmounts, wait -> done.test(wait.key()));
        waiting.forEach(wait -> later.accept(() -> wait.complete(null)));
        return !waiting.isEmpty();
    }

    void failMount(UseId use, Throwable error) {
        fail(take(mounts, wait -> wait.key().equals(use)), error);
    }

    private void failUnmount(AllocationId allocation, Throwable error) {
        fail(take(unmounts, wait -> wait.key().equals(allocation)), error);
    }

    void failAll(Throwable error) {
        fail(take(mounts, wait -> true), error);
        fail(take(unmounts, wait -> true), error);
    }

    private <K, T> void fail(List<MountWait<K, T>> waiting, Throwable error) {
        waiting.forEach(wait -> later.accept(() -> wait.fail(error)));
    }

    private static <K, T> List<MountWait<K, T>> take(List<MountWait<K, T>> waits, Predicate<MountWait<K, T>> which) {
        List<MountWait<K, T>> taken = waits.stream().filter(which).toList();
        waits.removeAll(taken);
        return taken;
    }

    /**
     * A future that waits for the mount of a use, or for the unmount of all uses of an allocation, with its time limit.
     * Compared by identity.
     */
    static final class MountWait<K, T> {
        private final K key;
        private final CompletableFuture<T> future;
        private final Cancellable limit;

        MountWait(K key, CompletableFuture<T> future, Cancellable limit) {
            this.key = key;
            this.future = future;
            this.limit = limit;
        }

        K key() {
            return key;
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
