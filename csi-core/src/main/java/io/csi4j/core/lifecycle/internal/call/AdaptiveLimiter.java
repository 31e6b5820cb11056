package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.StatusCode;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Limits the number of calls that one plugin has in flight.
 *
 * <p>If calls of several kinds wait, the kinds get permits in turn; within a kind, calls keep their order. If calls of
 * only one kind are in flight, one permit stays free for each other kind, so that a call of another kind can begin at
 * once. With a limit of one or two there is no permit to spare, so the kinds only take turns.
 *
 * <p>The limit adapts: RESOURCE_EXHAUSTED and UNAVAILABLE halve it, and successes raise it by about one for each round
 * of calls. Failures of calls that began before the last halving do not halve it again, because they have the same
 * cause. Thread-safe.
 */
public final class AdaptiveLimiter {
    private static final List<CallKind> KINDS = List.of(CallKind.values());

    private final Object lock = new Object();
    private final Map<CallKind, Line> lines = new EnumMap<>(CallKind.class);
    private final Executor executor;
    private int max;
    private double limit;
    private long round;
    private int turn;
    private int total;

    public AdaptiveLimiter(int max, Executor executor) {
        this.max = max;
        this.limit = max;
        this.executor = executor;
        for (CallKind kind : KINDS) {
            lines.put(kind, new Line());
        }
    }

    /**
     * Sets the largest number of calls in flight. Calls in flight beyond it end normally. A limit that had adapted to failures
     * is not raised at once.
     */
    public void max(int calls) {
        List<Runnable> granted;
        synchronized (lock) {
            if (calls == max) {
                return;
            }
            limit = limit == max ? calls : Math.min(limit, calls);
            max = calls;
            granted = grants();
        }
        granted.forEach(executor::execute);
    }

    public CompletableFuture<CallPermit> acquire(CallKind kind) {
        synchronized (lock) {
            if (line(kind).waiting.isEmpty() && hasFreePermit(kind)) {
                return CompletableFuture.completedFuture(take(kind));
            }
            Waiter waiter = new Waiter(kind);
            line(kind).add(waiter);
            return waiter;
        }
    }

    public int limit() {
        synchronized (lock) {
            return (int) limit;
        }
    }

    public int inFlight() {
        synchronized (lock) {
            return total;
        }
    }

    public int waiting() {
        synchronized (lock) {
            int waiting = 0;
            for (Line line : lines.values()) {
                waiting += line.waiting.size();
            }
            return waiting;
        }
    }

    private Line line(CallKind kind) {
        return Objects.requireNonNull(lines.get(kind));
    }

    private boolean hasFreePermit(CallKind kind) {
        int now = (int) limit;
        int alone = Math.max(1, now - (KINDS.size() - 1));
        return total < now && line(kind).inFlight < alone;
    }

    private Permit take(CallKind kind) {
        line(kind).inFlight++;
        total++;
        return new Permit(kind, round);
    }

    private void release(Permit permit) {
        List<Runnable> granted;
        synchronized (lock) {
            line(permit.kind).inFlight--;
            total--;
            adapt(permit);
            granted = grants();
        }
        granted.forEach(executor::execute);
    }

    /** Takes permits for the waiting calls that may begin, and returns the tasks that give them. */
    private List<Runnable> grants() {
        List<Runnable> granted = new ArrayList<>(1);
        for (Waiter next = next(); next != null; next = next()) {
            Waiter waiter = next;
            Permit given = take(waiter.kind);
            granted.add(() -> grantPermit(waiter, given));
        }
        return granted;
    }

    /** Gives a permit to a waiting call. If the call has been cancelled, its permit goes to the next waiting call. */
    private static void grantPermit(Waiter waiter, Permit permit) {
        if (!waiter.complete(permit)) {
            permit.close();
        }
    }

    private void adapt(Permit permit) {
        StatusCode code = permit.code;
        if (code == StatusCode.RESOURCE_EXHAUSTED || code == StatusCode.UNAVAILABLE) {
            if (permit.round == round) {
                limit = Math.max(1, limit / 2);
                round++;
            }
        } else if (code == StatusCode.OK) {
            limit = Math.min(max, limit + 1 / limit);
        }
    }

    private @Nullable Waiter next() {
        for (int i = 0; i < KINDS.size(); i++) {
            CallKind kind = KINDS.get((turn + i) % KINDS.size());
            Set<Waiter> waiting = line(kind).waiting;
            if (!waiting.isEmpty() && hasFreePermit(kind)) {
                Iterator<Waiter> queue = waiting.iterator();
                Waiter waiter = queue.next();
                queue.remove();
                turn = (turn + i + 1) % KINDS.size();
                return waiter;
            }
        }
        return null;
    }

    /** The waiting calls of one kind, and the number of its calls in flight. */
    private static final class Line {
        private Set<Waiter> waiting = Set.of();
        private int inFlight;

        void remove(Waiter waiter) {
            if (!waiting.isEmpty()) {
                waiting.remove(waiter);
            }
        }

        void add(Waiter waiter) {
            if (waiting.isEmpty()) {
                waiting = new LinkedHashSet<>();
            }
            waiting.add(waiter);
        }
    }

    /** A call that waits for a permit; completes with the permit. */
    private final class Waiter extends CompletableFuture<CallPermit> {
        private final CallKind kind;

        Waiter(CallKind kind) {
            this.kind = kind;
        }

        @Override
        public boolean cancel(boolean mayInterruptIfRunning) {
            synchronized (lock) {
                line(kind).remove(this);
            }
            return super.cancel(mayInterruptIfRunning);
        }
    }

    /** The permit of one call; the call counts as in flight until its permit is closed. */
    private final class Permit implements CallPermit {
        private final CallKind kind;
        private final long round;
        private StatusCode code = StatusCode.UNKNOWN;
        private boolean closed;

        Permit(CallKind kind, long round) {
            this.kind = kind;
            this.round = round;
        }

        @Override
        public void outcome(StatusCode code) {
            synchronized (lock) {
                this.code = code;
            }
        }

        @Override
        public void close() {
            synchronized (lock) {
                if (closed) {
                    return;
                }
                closed = true;
            }
            release(this);
        }
    }
}
