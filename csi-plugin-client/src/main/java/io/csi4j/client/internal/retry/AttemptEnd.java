package io.csi4j.client.internal.retry;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.failsafe.RetryPolicy;
import io.csi4j.client.internal.timer.TimerScheduler;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The end of one attempt; Failsafe treats it as the result of the attempt. It names its call, so that one Failsafe
 * policy serves all calls of a client.
 *
 * @param call the call
 * @param attempts the number of attempts so far
 * @param answer the response; null also after a failure
 * @param failure the failure; null: the plugin has answered
 * @param repeatable whether the failure permits another attempt, if the rules do
 */
record AttemptEnd<R>(
        RetriedCall<R> call,
        int attempts,
        @Nullable R answer,
        @Nullable Throwable failure,
        boolean repeatable) {
    /**
     * Returns the retries of all calls with the same options. The rules and the remaining time of the call decide
     * whether an attempt follows; Failsafe counts the attempts, waits for the backoff, and reports.
     *
     * <p>The time limit and the random part of the backoff come from the call, because Failsafe measures time with the
     * clock of the system, which an operator can set, and takes random numbers that a test cannot choose.
     */
    static FailsafeExecutor<AttemptEnd<?>> retries(RetryOptions options, Timer timer) {
        RetryPolicy<AttemptEnd<?>> policy = RetryPolicy.<AttemptEnd<?>>builder()
                .handleResultIf(AttemptEnd::permitsAnother)
                .withMaxAttempts(options.maxAttempts())
                .withDelayFn(context -> context.getLastResult().backoff())
                .onRetryScheduled(
                        event -> event.getLastResult().pauses(event.getDelay().toNanos()))
                .build();
        return Failsafe.with(policy).with(new TimerScheduler(timer)).onComplete(event -> {
            // Null after a cancellation; the call then ends itself when its attempt has ended.
            AttemptEnd<?> last = event.getResult();
            if (last != null) {
                last.finish();
            }
        });
    }

    private boolean permitsAnother() {
        return repeatable && failure != null && call.permitsAnother(failure);
    }

    private Duration backoff() {
        return Duration.ofNanos(call.backoff(attempts));
    }

    private void pauses(long backoffNanos) {
        call.pauses(failure, backoffNanos);
    }

    private void finish() {
        call.finish(this);
    }
}
