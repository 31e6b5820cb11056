package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.internal.concurrent.Futures;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Queues controller calls, so that each volume and each snapshot has one call at a time (R26). A queued call reads the
 * state again right before it begins, because an earlier call may have changed the state. Calls for different nodes may
 * run concurrently if the plugin allows it. Thread-safe.
 */
public final class CallQueues {
    private static final int ALONE = 1;

    private final Map<Object, Line> lines = new HashMap<>();
    private final Executor executor;

    public CallQueues(Executor executor) {
        this.executor = executor;
    }

    /** The running and the waiting calls for one volume or snapshot. Guarded by {@code lines}. */
    private static final class Line {
        private final Queue<Turn> waiting = new ArrayDeque<>(0);
        private int running;
        private boolean alone;

        /** Returns whether a waiting call may begin while the running calls continue. */
        boolean admits(Turn turn) {
            return running == 0 || (!alone && turn.max > ALONE && running < turn.max);
        }

        void begin(Turn turn) {
            running++;
            alone = turn.max == ALONE;
        }

        @Nullable Turn next() {
            Turn first = waiting.peek();
            return first != null && admits(first) ? waiting.remove() : null;
        }
    }

    private record Turn(int max, Runnable begin) {}

    /**
     * Runs a call alone, after all earlier calls for the same subject. The next call begins when the future of this
     * call completes.
     */
    public <R> CompletableFuture<R> exclusively(Object subject, Supplier<CompletableFuture<R>> turn) {
        return concurrently(subject, ALONE, turn);
    }

    /**
     * Runs a call after earlier calls for the same subject, concurrently with at most {@code max - 1} other calls that
     * were also queued by this method.
     */
    public <R> CompletableFuture<R> concurrently(Object subject, int max, Supplier<CompletableFuture<R>> turn) {
        CompletableFuture<R> result = new CompletableFuture<>();
        Turn asked = new Turn(max, () -> begin(subject, turn, result));
        synchronized (lines) {
            Line line = lines.computeIfAbsent(subject, key -> new Line());
            if (!line.waiting.isEmpty() || !line.admits(asked)) {
                line.waiting.add(asked);
                return result;
            }
            line.begin(asked);
        }
        asked.begin.run();
        return result;
    }

    private <R> void begin(Object subject, Supplier<CompletableFuture<R>> turn, CompletableFuture<R> result) {
        var unused = Futures.start(turn).whenComplete((value, failure) -> {
            end(subject);
            Futures.complete(result, value, failure);
        });
    }

    private void end(Object subject) {
        List<Turn> begun = new ArrayList<>(1);
        synchronized (lines) {
            Line line = lines.get(subject);
            if (line == null) {
                return;
            }
            line.running--;
            for (Turn next = line.next(); next != null; next = line.next()) {
                line.begin(next);
                begun.add(next);
            }
            if (line.running == 0) {
                lines.remove(subject);
            }
        }
        begun.forEach(next -> executor.execute(next.begin));
    }

    /** Returns the number of volumes and snapshots with running or waiting calls. */
    public int size() {
        synchronized (lines) {
            return lines.size();
        }
    }
}
