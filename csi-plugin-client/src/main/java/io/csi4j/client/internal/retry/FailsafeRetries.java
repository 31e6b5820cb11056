package io.csi4j.client.internal.retry;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.failsafe.RetryPolicy;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/** Repeats by Failsafe. One policy for all calls; a call comes here only after its first try has failed. */
final class FailsafeRetries {
    private final FailsafeExecutor<Object> failsafe;

    FailsafeRetries(Timer timer) {
        RetryPolicy<Object> policy = RetryPolicy.builder()
                .handle(RetryAfter.class)
                // How often and how long is decided call by call, and comes with the failure.
                .withMaxAttempts(-1)
                .withDelayFn(
                        failed -> failed.getLastException() instanceof RetryAfter again ? again.pause() : Duration.ZERO)
                .build();
        this.failsafe = Failsafe.with(policy).with(new TimerScheduler(timer));
    }

    /**
     * Waits, then tries until a try ends with anything but {@link RetryAfter}.
     *
     * @param first the end of the first try
     * @param next makes the next one
     */
    <R> CompletableFuture<R> after(RetryAfter first, Supplier<? extends CompletionStage<R>> next) {
        return failsafe.getStageAsync(
                attempt -> attempt.isFirstAttempt() ? CompletableFuture.<R>failedFuture(first) : next.get());
    }
}
