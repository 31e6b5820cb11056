package io.csi4j.core.lifecycle.internal.call;

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
 * One controller call at a time for each volume, and for each snapshot, in the order they were asked for
 * (R26, I4). A call about a volume
 * waits for its turn here, under the volume's key, and reads the state again inside it, because an earlier call may have
 * changed it. Calls for different nodes may run in parallel if the plugin allows that. Calls of one key keep their order.
 * Safe for use by many threads.
 */
public final class CallQueues {
    private static final int ALONE = 1;

    private final Map<Object, Line> lines = new HashMap<>();
    private final Executor executor;

    public CallQueues(Executor executor) {
        this.executor = executor;
    }

    /** Who has a turn, and who waits for one. Guarded by {@code lines}. */
    private static final class Line {
        private final Queue<Turn> waiting = new ArrayDeque<>(0);
        private int running;
        private boolean alone;

        /** Whether a turn can begin now, beside those that have begun. */
        boolean admits(Turn turn) {
            return running == 0 || (!alone && turn.most > ALONE && running < turn.most);
        }

        void begin(Turn turn) {
            running++;
            alone = turn.most == ALONE;
        }

        @Nullable Turn next() {
            Turn first = waiting.peek();
            return first != null && admits(first) ? waiting.remove() : null;
        }
    }

    private record Turn(int most, Runnable begin) {}

    /** Does something once it is its turn, alone; the next one's comes when the future is complete. */
    public <R> CompletableFuture<R> in(Object subject, Supplier<CompletableFuture<R>> turn) {
        return beside(subject, ALONE, turn);
    }

    /** Does something once it is its turn, beside others of this sort as long as they are no more than that. */
    public <R> CompletableFuture<R> beside(Object subject, int most, Supplier<CompletableFuture<R>> turn) {
        CompletableFuture<R> result = new CompletableFuture<>();
        Turn asked = new Turn(most, () -> begin(subject, turn, result));
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
        CompletableFuture<R> work;
        try {
            work = turn.get();
        } catch (RuntimeException e) {
            work = CompletableFuture.failedFuture(e);
        }
        var unused = work.whenComplete((value, failure) -> {
            end(subject);
            if (failure == null) {
                result.complete(value);
            } else {
                result.completeExceptionally(Failures.of(failure));
            }
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

    /** How many volumes and snapshots somebody has a turn at. */
    public int size() {
        synchronized (lines) {
            return lines.size();
        }
    }
}
