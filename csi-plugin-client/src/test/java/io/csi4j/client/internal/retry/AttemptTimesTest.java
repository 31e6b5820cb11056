package io.csi4j.client.internal.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.internal.concurrent.Backoff;
import java.time.Duration;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;

/** The time of each attempt, and the time in which another attempt may begin. */
class AttemptTimesTest {
    private static final PlainCall PUBLISH = PlainCall.of(Rpc.NODE_PUBLISH_VOLUME, "v", "/1");
    /** Elapsed time may begin at any number, also shortly before it overflows. */
    private static final long BEGIN = Long.MAX_VALUE - 1;

    private final RetryOptions.Builder options =
            RetryOptions.builder().maxAttempts(3).attemptShare(0.25).minAttempt(seconds(2));

    private static Duration seconds(long seconds) {
        return Duration.ofSeconds(seconds);
    }

    private static long after(double seconds) {
        return BEGIN + (long) (seconds * 1e9);
    }

    /** Returns the plan of a call with a deadline of 8 s. */
    private AttemptPlan plan(PlainCall call) {
        RandomGenerator longest = new RandomGenerator() {
            @Override
            public long nextLong() {
                throw new AssertionError("unexpected random number");
            }

            @Override
            public long nextLong(long bound) {
                return bound - 1;
            }
        };
        return new AttemptPlan(
                options.build(),
                CallRules.defaults(),
                new Backoff(seconds(3), seconds(9), longest),
                call,
                BEGIN,
                seconds(8).toNanos());
    }

    private AttemptPlan plan() {
        return plan(PUBLISH);
    }

    private static long nanos(double seconds) {
        return (long) (seconds * 1e9);
    }

    @Test
    void attemptMayTakeItsShareIfAnotherCouldFollow() {
        assertThat(plan().begin()).isEqualTo(BEGIN);
        assertThat(plan().time(0, BEGIN)).isEqualTo(nanos(2));
        assertThat(plan().time(1, BEGIN)).isEqualTo(nanos(2));
        assertThat(plan().left(after(3))).isEqualTo(nanos(5));
        assertThat(plan().spent(after(3))).isEqualTo(nanos(3));
    }

    @Test
    void lastAttemptMayTakeAllRemainingTime() {
        assertThat(plan().time(2, after(1))).isEqualTo(nanos(7));
        assertThat(plan(PlainCall.of(Rpc.PROBE, null, "")).time(0, BEGIN))
                .as("a call that is not retried")
                .isEqualTo(nanos(8));
    }

    @Test
    void attemptMayTakeAllRemainingTimeIfItsShareIsTooShort() {
        options.minAttempt(seconds(2).plusNanos(1));
        assertThat(plan().time(0, BEGIN)).isEqualTo(nanos(8));
    }

    @Test
    void attemptLeavesTimeForBackoffAndAnotherAttempt() {
        options.attemptShare(0.9);
        assertThat(plan().time(0, BEGIN)).isEqualTo(nanos(5.8));
        options.minAttempt(Duration.ofMillis(3_900));
        assertThat(plan().time(0, BEGIN)).isEqualTo(nanos(3.9));
        options.minAttempt(Duration.ofMillis(3_900).plusNanos(1));
        assertThat(plan().time(0, BEGIN)).as("too little for two attempts").isEqualTo(nanos(8));
    }

    @Test
    void attemptMayTakeAllRemainingTimeIfBudgetEndsBeforeAnother() {
        options.budget(seconds(2));
        assertThat(plan().time(0, BEGIN)).isEqualTo(nanos(8));
        options.budget(seconds(2).plusNanos(1));
        assertThat(plan().time(0, BEGIN)).isEqualTo(nanos(2));
    }

    @Test
    void anotherAttemptNeedsPermissionOfRulesAndMinimumTime() {
        assertThat(plan().permitsAnother(PUBLISH.failure(StatusCode.UNAVAILABLE), after(6) - 1))
                .isTrue();
        assertThat(plan().permitsAnother(PUBLISH.failure(StatusCode.UNAVAILABLE), after(6)))
                .isFalse();
        assertThat(plan().permitsAnother(PUBLISH.failure(StatusCode.NOT_FOUND), BEGIN))
                .isFalse();
        options.budget(seconds(5));
        assertThat(plan().permitsAnother(PUBLISH.failure(StatusCode.UNAVAILABLE), after(5) - 1))
                .isTrue();
        assertThat(plan().permitsAnother(PUBLISH.failure(StatusCode.UNAVAILABLE), after(5)))
                .isFalse();
    }

    @Test
    void backoffEndsWhileAnotherAttemptMayBegin() {
        assertThat(plan().backoff(1, after(1))).isEqualTo(nanos(3));
        assertThat(plan().backoff(2, after(1))).isEqualTo(nanos(5));
        assertThat(plan().backoff(1, after(4.5))).isEqualTo(nanos(1.5));
        assertThat(plan().backoff(1, after(6))).isEqualTo(1);
    }
}
