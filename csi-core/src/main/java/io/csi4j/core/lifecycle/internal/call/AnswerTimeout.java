package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Limits the time that the engine waits for an answer of a port of the host. Without this limit, a port that never answers would
 * block its waiters forever. A later answer is ignored.
 *
 * <p>One timer serves all open answers, in rounds: an answer in time costs one list entry, and an immediate answer costs nothing.
 * Without open answers there is no timer. Thread-safe.
 */
public final class AnswerTimeout {
    private static final int ROUNDS = 4;

    private final Timer timer;
    private final Executor executor;
    private final Duration timeout;

    // Guarded by this.
    private final Set<Awaited<?>> awaited = new LinkedHashSet<>();
    private long round;
    private @Nullable Round next;

    /**
     * Creates a limit without open answers.
     *
     * @param timer the timer of the rounds
     * @param executor runs the stages of the waiters
     * @param timeout the time for each answer; the wait ends up to a quarter of it later
     */
    public AnswerTimeout(Timer timer, Executor executor, Duration timeout) {
        this.timer = timer;
        this.executor = executor;
        this.timeout = timeout;
    }

    /** Returns the same answer if it arrives in time; otherwise fails with the given exception for the elapsed time. */
    public <R> CompletableFuture<R> within(CompletableFuture<R> answer, Function<Duration, CsiException> tooLate) {
        if (answer.isDone()) {
            return answer;
        }
        Awaited<R> mine = new Awaited<>(tooLate);
        try {
            add(mine);
        } catch (RuntimeException e) {
            // The timer is closed: fail at once, because no wait may be without a limit.
            return CompletableFuture.failedFuture(e);
        }
        var unused = answer.whenComplete((value, failure) -> {
            remove(mine);
            if (failure == null) {
                mine.complete(value);
            } else {
                mine.completeExceptionally(Failures.of(failure));
            }
        });
        return mine;
    }

    /** Returns the number of open answers. */
    public synchronized int awaited() {
        return awaited.size();
    }

    private synchronized void add(Awaited<?> one) {
        if (next == null) {
            plan();
        }
        one.since = round;
        awaited.add(one);
    }

    private synchronized void remove(Awaited<?> one) {
        if (awaited.remove(one) && awaited.isEmpty() && next != null) {
            next.planned.cancel();
            next = null;
        }
    }

    private void plan() {
        Round planned = new Round();
        planned.planned = timer.schedule(timeout.dividedBy(ROUNDS), () -> over(planned));
        next = planned;
    }

    private void over(Round ended) {
        for (Awaited<?> late : late(ended)) {
            executor.execute(late::tooLate);
        }
        planNext();
    }

    private synchronized void planNext() {
        if (next == null && !awaited.isEmpty()) {
            plan();
        }
    }

    /** Returns the answers that were open before this round. They are in order of arrival. */
    private synchronized List<Awaited<?>> late(Round ended) {
        List<Awaited<?>> late = new ArrayList<>();
        if (ended != next) {
            // The round was cancelled too late.
            return late;
        }
        next = null;
        round++;
        Iterator<Awaited<?>> oldest = awaited.iterator();
        boolean more = true;
        while (more && oldest.hasNext()) {
            Awaited<?> one = oldest.next();
            more = round - one.since > ROUNDS;
            if (more) {
                oldest.remove();
                late.add(one);
            }
        }
        return late;
    }

    private static final class Round {
        private Cancellable planned = () -> {};
    }

    private final class Awaited<R> extends CompletableFuture<R> {
        private final Function<Duration, CsiException> tooLate;
        private long since;

        Awaited(Function<Duration, CsiException> tooLate) {
            this.tooLate = tooLate;
        }

        void tooLate() {
            completeExceptionally(tooLate.apply(timeout));
        }
    }
}
