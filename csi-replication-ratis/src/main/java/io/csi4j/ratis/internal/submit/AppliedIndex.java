package io.csi4j.ratis.internal.submit;

import java.util.Comparator;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The index that this peer has applied, and the futures that wait for a higher one. Thread-safe. */
public final class AppliedIndex {
    private final Executor executor;
    private volatile long index;

    // Guarded by this.
    private final PriorityQueue<Waiter> waiters = new PriorityQueue<>(Comparator.comparingLong(Waiter::index));

    private record Waiter(long index, CompletableFuture<@Nullable Void> future) {}

    /**
     * Creates the index 0.
     *
     * @param executor completes the futures
     */
    public AppliedIndex(Executor executor) {
        this.executor = executor;
    }

    /** Returns the index. */
    public long get() {
        return index;
    }

    /** Sets the index, which never goes back. */
    public void advance(long applied) {
        index = applied;
        synchronized (this) {
            for (Waiter next = waiters.peek(); next != null && next.index() <= applied; next = waiters.peek()) {
                waiters.remove();
                CompletableFuture<@Nullable Void> reached = next.future();
                executor.execute(() -> reached.complete(null));
            }
        }
    }

    /** Returns a future that completes when the index is reached. */
    public CompletableFuture<@Nullable Void> reaches(long wanted) {
        CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
        synchronized (this) {
            if (index < wanted) {
                waiters.add(new Waiter(wanted, future));
                return future;
            }
        }
        future.complete(null);
        return future;
    }
}
