package io.csi4j.client.internal.retry;

import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Repeat;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.internal.concurrent.Backoff;

/** Decides for one call how long each attempt may take and whether another attempt follows. All times are in nanoseconds. */
final class AttemptPlan {
    private final RetryOptions options;
    private final CallRules rules;
    private final Backoff backoff;
    private final CallTarget target;
    private final long begin;
    private final long end;

    AttemptPlan(RetryOptions options, CallRules rules, Backoff backoff, CallTarget target, long begin, long deadline) {
        this.options = options;
        this.rules = rules;
        this.backoff = backoff;
        this.target = target;
        this.begin = begin;
        this.end = begin + deadline;
    }

    long begin() {
        return begin;
    }

    long left(long now) {
        return end - now;
    }

    long spent(long now) {
        return now - begin;
    }

    /**
     * Returns the time that the next attempt may take: all remaining time, or only a part of it if another attempt
     * could follow. The limit for a single attempt keeps one hung attempt from using up the call's whole deadline. The
     * part leaves time for a backoff and another attempt, so that no remaining time is wasted.
     */
    long time(int attemptsBefore, long now) {
        long left = left(now);
        if (attemptsBefore + 1 >= options.maxAttempts() || !repeatedAfter(StatusCode.DEADLINE_EXCEEDED)) {
            return left;
        }
        long min = options.minAttempt().toNanos();
        long another = options.initialBackoff().toNanos() + min;
        long part = Math.min((long) (left * options.attemptShare()), left - another);
        return part < min || window(now + part) <= 0 ? left : part;
    }

    private boolean repeatedAfter(StatusCode code) {
        return rules.of(target.rpc(), code, target.continuesPage()).repeat() == Repeat.HERE;
    }

    /** Returns whether the rules and the remaining time permit another attempt after a failure. */
    boolean permitsAnother(CsiCallException failure, long now) {
        return repeatedAfter(failure.code()) && window(now) > 0;
    }

    /** Returns the time in which another attempt may begin; zero or less if none may. */
    private long window(long now) {
        long window = left(now) - options.minAttempt().toNanos();
        return options.budget()
                .map(budget -> Math.min(window, budget.toNanos() - spent(now)))
                .orElse(window);
    }

    /** Returns the backoff before the next attempt, which begins before the time is over. */
    long backoff(int attempts, long now) {
        return Math.max(1, Math.min(backoff.after(attempts).toNanos(), window(now)));
    }
}
