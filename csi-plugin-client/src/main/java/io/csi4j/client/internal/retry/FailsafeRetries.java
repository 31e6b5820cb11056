package io.csi4j.client.internal.retry;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.failsafe.RetryPolicy;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * Repeats calls with Failsafe. One policy serves all calls; a call comes here only after its first attempt has failed.
 */
final class FailsafeRetries {
    private final FailsafeExecutor<Object> failsafe;

    FailsafeRetries(Timer timer) {
        RetryPolicy<Object> policy = RetryPolicy.builder()
                .handle(RetryAfter.class)
                // The number and the delays are decided for each call, and come with its failure.
                .withMaxAttempts(-1)
                .withDelayFn(
                        failed -> failed.getLastException() instanceof RetryAfter again ? again.pause() : Duration.ZERO)
                .build();
        this.failsafe = Failsafe.with(policy).with(new TimerScheduler(timer));
    }

    /**
     * Waits, and repeats until an attempt ends without {@link RetryAfter}.
     *
     * @param first the end of the first attempt
     * @param next makes the next attempt
     */
    <R> CompletableFuture<R> after(RetryAfter first, Supplier<? extends CompletionStage<R>> next) {
        return failsafe.getStageAsync(
                attempt -> attempt.isFirstAttempt() ? CompletableFuture.<R>failedFuture(first) : next.get());
    }
}
