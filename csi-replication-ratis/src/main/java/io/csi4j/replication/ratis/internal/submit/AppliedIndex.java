package io.csi4j.replication.ratis.internal.submit;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** The index that this peer has applied, and the futures that wait for a higher one. Thread-safe. */
public final class AppliedIndex {
    private volatile long index;

    // The monitor of this object guards the queue of waiters.
    private final PriorityQueue<Waiter> waiters = new PriorityQueue<>(Comparator.comparingLong(Waiter::index));

    private record Waiter(long index, CompletableFuture<@Nullable Void> future) {}

    public long get() {
        return index;
    }

    /** Raises the index to {@code applied}, and completes the futures that wait for it, on this thread. */
    public void advance(long applied) {
        index = applied;
        reached(applied).forEach(waiter -> waiter.future().complete(null));
    }

    private synchronized List<Waiter> reached(long applied) {
        List<Waiter> reached = new ArrayList<>();
        for (Waiter next = waiters.peek(); next != null && next.index() <= applied; next = waiters.peek()) {
            reached.add(waiters.remove());
        }
        return reached;
    }

    /**
     * Returns a future that completes when the applied index is {@code wanted} or higher, on the thread that raises the
     * index.
     */
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
