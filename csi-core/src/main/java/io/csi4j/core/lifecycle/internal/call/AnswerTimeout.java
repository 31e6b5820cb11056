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
 * Bounds the wait for answers of one of the host's ports, for one that forgets to answer: whatever waits for it, a turn
 * or a call that counts as under way, would wait for ever. An answer that comes later than that is nobody's any more.
 *
 * <p>One timer sees to all answers that are out, in rounds, so that an answer in time costs a place in a list, and one
 * that is there at once costs nothing. With no answer out there is no timer. Safe for use by many threads.
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
     * Makes one with nothing to wait for.
     *
     * @param timer waits
     * @param executor where those who wait go on
     * @param timeout how long each answer may take; up to a quarter of it more is given
     */
    public AnswerTimeout(Timer timer, Executor executor, Duration timeout) {
        this.timer = timer;
        this.executor = executor;
        this.timeout = timeout;
    }

    /** The same answer if it comes in time; otherwise this fails with what is told of the time that has passed. */
    public <R> CompletableFuture<R> within(CompletableFuture<R> answer, Function<Duration, CsiException> tooLate) {
        if (answer.isDone()) {
            return answer;
        }
        Awaited<R> mine = new Awaited<>(tooLate);
        try {
            add(mine);
        } catch (RuntimeException e) {
            // Of a timer that is closed: nobody should wait without a limit.
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

    /** How many answers are out. */
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

    /** Who has waited for all rounds, and for the one in which it came. They came in order. */
    private synchronized List<Awaited<?>> late(Round ended) {
        List<Awaited<?>> late = new ArrayList<>();
        if (ended != next) {
            // It was called off too late.
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
