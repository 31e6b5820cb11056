package io.csi4j.node.internal.ownership;

import io.csi4j.node.FileOwnership;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.OwnershipProgress;
import io.csi4j.node.VolumeOwnership;
import io.csi4j.node.internal.ownership.OwnershipException.Reason;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Changes the ownership of volumes, each on a thread of its own, so that other volumes of the node do not wait. Two changes
 * run at a time. A change that the kernel does not let proceed, because the storage does not answer, does not count: the
 * next one begins.
 */
public final class LinuxOwnership implements VolumeOwnership {
    private static final int AT_A_TIME = 2;
    private static final Duration STALLED_AFTER = Duration.ofSeconds(10);

    private final Walk walk;
    private final long stalledAfterNanos;
    private final ReentrantLock lock = new ReentrantLock();
    /** Wakes the thread that looks for stalled changes, when none waits any more. */
    private final Condition noneWaits = lock.newCondition();

    private final Queue<Change> waiting = new ArrayDeque<>();
    private final List<Change> running = new ArrayList<>();
    private boolean watched;

    public LinuxOwnership() {
        this(STALLED_AFTER, (target, wanted, progress) -> OwnershipChange.run(target, wanted, true, progress));
    }

    LinuxOwnership(Duration stalledAfter, Walk walk) {
        this.stalledAfterNanos = stalledAfter.toNanos();
        this.walk = walk;
    }

    /** Changes the ownership of one volume. Blocks until that is done. */
    @FunctionalInterface
    interface Walk {
        void run(Path target, FileOwnership wanted, OwnershipProgress progress) throws OwnershipException;
    }

    /** One change that has not ended. The lock guards its fields. */
    private static final class Change {
        final Path target;
        final FileOwnership wanted;
        final OwnershipProgress progress;
        final CompletableFuture<@Nullable Void> result = new CompletableFuture<>();
        long files = -1;
        boolean stalled;

        Change(Path target, FileOwnership wanted, OwnershipProgress progress) {
            this.target = target;
            this.wanted = wanted;
            this.progress = progress;
        }
    }

    @Override
    public CompletableFuture<@Nullable Void> change(Path target, FileOwnership wanted, OwnershipProgress progress) {
        Change change = new Change(target, wanted, progress);
        lock.lock();
        try {
            waiting.add(change);
            startNext();
            if (!waiting.isEmpty() && !watched) {
                watched = true;
                start(this::watch);
            }
        } finally {
            lock.unlock();
        }
        return change.result;
    }

    private void startNext() {
        while (running.stream().filter(change -> !change.stalled).count() < AT_A_TIME && !waiting.isEmpty()) {
            Change next = waiting.remove();
            running.add(next);
            start(() -> run(next));
        }
        if (waiting.isEmpty()) {
            noneWaits.signal();
        }
    }

    private static void start(Runnable task) {
        Thread thread = new Thread(task, "csi4j-ownership");
        thread.setDaemon(true);
        thread.start();
    }

    private void run(Change change) {
        Throwable failure = null;
        try {
            walk.run(change.target, change.wanted, change.progress);
        } catch (OwnershipException e) {
            failure = failure(e);
        } catch (RuntimeException | Error e) {
            failure = e;
        }
        lock.lock();
        try {
            running.remove(change);
            startNext();
        } finally {
            lock.unlock();
        }
        if (failure == null) {
            change.result.complete(null);
        } else {
            change.result.completeExceptionally(failure);
        }
    }

    /** Looks from time to time which changes proceed, as long as others wait. */
    private void watch() {
        lock.lock();
        try {
            while (!waiting.isEmpty()) {
                long left = stalledAfterNanos;
                while (left > 0 && !waiting.isEmpty()) {
                    left = noneWaits.awaitNanos(left);
                }
                for (Change change : running) {
                    long files = change.progress.visited() + change.progress.changed();
                    change.stalled = files == change.files;
                    change.files = files;
                }
                startNext();
            }
        } catch (InterruptedException e) {
            // Only this class has the thread, and does not interrupt it.
            throw new IllegalStateException(e);
        } finally {
            watched = false;
            lock.unlock();
        }
    }

    private static Exception failure(OwnershipException e) {
        String text = String.valueOf(e.getMessage());
        return e.reason() == Reason.UNSUPPORTED_HERE
                ? new NodeVolumeException(NodeVolumeException.Reason.UNSUPPORTED, text, e)
                : new IOException(text, e);
    }
}
