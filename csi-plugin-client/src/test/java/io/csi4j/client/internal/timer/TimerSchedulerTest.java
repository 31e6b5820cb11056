package io.csi4j.client.internal.timer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.failsafe.Failsafe;
import dev.failsafe.FailsafeExecutor;
import dev.failsafe.RetryPolicy;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

final class TimerSchedulerTest {
    private final List<Duration> delays = new ArrayList<>();
    private final Queue<Runnable> pending = new ArrayDeque<>();
    private final List<String> attempts = new ArrayList<>();

    private final FailsafeExecutor<String> executor = Failsafe.with(RetryPolicy.<String>builder()
                    .withDelay(Duration.ofMinutes(5))
                    .withMaxAttempts(3)
                    .build())
            .with(new TimerScheduler((delay, task) -> {
                delays.add(delay);
                pending.add(task);
                return () -> pending.remove(task);
            }));

    private CompletableFuture<String> failing(int times) {
        return executor.getStageAsync(() -> {
            attempts.add(Thread.currentThread().getName());
            return attempts.size() <= times
                    ? CompletableFuture.failedFuture(new IllegalStateException("refused"))
                    : CompletableFuture.completedFuture("done");
        });
    }

    @Test
    void firstAttemptRunsOnCallerAndLaterAttemptsOnTimer() {
        CompletableFuture<String> result = failing(1);
        assertThat(attempts).containsExactly(Thread.currentThread().getName());
        assertThat(delays).containsExactly(Duration.ofMinutes(5));
        assertThat(result).isNotDone();
        pending.remove().run();
        assertThat(result).isCompletedWithValue("done");
    }

    @Test
    void cancellationEndsBackoff() {
        CompletableFuture<String> result = failing(9);
        assertThat(pending).hasSize(1);
        result.cancel(false);
        assertThat(pending).isEmpty();
        assertThat(attempts).hasSize(1);
    }

    @Test
    void cancelledAttemptDoesNotRunIfTimerIsLate() {
        CompletableFuture<String> result = failing(9);
        Runnable late = pending.element();
        result.cancel(false);
        late.run();
        assertThat(attempts).hasSize(1);
    }
}
