package io.csi4j.client.internal.retry;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.internal.concurrent.Backoff;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class AttemptPlanTest {
    private static final long SECOND = Duration.ofSeconds(1).toNanos();
    /** A deadline with time for two attempts of the shortest length and a backoff. */
    private static final long TWO_ATTEMPTS = Duration.ofMillis(2_200).toNanos();

    private final RetryOptions options = RetryOptions.ofDefaults();
    private final CallTarget target = new PublishTarget("v");
    private final CsiCallException timedOut = new CsiCallException(
            target.rpc(),
            "plugin",
            target.subject(),
            StatusCode.DEADLINE_EXCEEDED,
            CallOutcome.OUTCOME_UNKNOWN,
            "no answer",
            null);

    /** Each attempt hangs until its limit, and its end is noticed late, as on a busy machine. */
    @Test
    void hungPluginGetsAnotherAttemptAndNoTimeIsWasted() {
        SplittableRandom random = new SplittableRandom(1);
        for (long deadline = SECOND / 10; deadline < 20 * SECOND; deadline += SECOND / 100) {
            AttemptPlan plan = new AttemptPlan(
                    options,
                    CallRules.defaults(),
                    new Backoff(options.initialBackoff(), options.maxBackoff(), random),
                    target,
                    0,
                    deadline);
            long now = 0;
            int attempts = 0;
            do {
                now += attempts == 0 ? 0 : plan.backoff(attempts, now);
                now += plan.time(attempts, now);
                attempts++;
                now += now < deadline ? random.nextLong(SECOND / 10) : 0;
            } while (attempts < options.maxAttempts() && plan.permitsAnother(timedOut, now));
            String call = "a call of " + deadline / 1_000_000 + " ms with " + attempts + " attempts";
            assertThat(now).as(call).isEqualTo(deadline);
            assertThat(attempts).as(call).isGreaterThanOrEqualTo(deadline >= TWO_ATTEMPTS ? 2 : 1);
        }
    }
}
