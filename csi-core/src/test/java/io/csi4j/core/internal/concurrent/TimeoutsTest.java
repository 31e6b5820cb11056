package io.csi4j.core.internal.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.spi.VirtualTime;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class TimeoutsTest {
    private static final Duration LIMIT = Duration.ofSeconds(5);

    private final VirtualTime time = VirtualTime.inOrder();
    private final Timeouts timeouts = new Timeouts(time, time);
    private final IllegalStateException late = new IllegalStateException("late");
    private final CompletableFuture<String> future = new CompletableFuture<>();

    @Test
    void resultBeforeDeadlineIsPassedOnAndTimerIsCancelled() {
        CompletableFuture<String> limited = timeouts.limit(future, LIMIT, () -> late);
        AtomicInteger timersAtCallback = new AtomicInteger(-1);
        var unused = limited.thenRun(() -> timersAtCallback.set(time.timers()));
        assertThat(time.timers()).isOne();
        future.complete("value");
        assertThat(limited).isCompletedWithValue("value");
        assertThat(timersAtCallback).hasValue(0);
        assertThat(time.timers()).isZero();
    }

    @Test
    void failureBeforeDeadlineIsPassedOnUnwrappedAndTimerIsCancelled() {
        CompletableFuture<String> limited = timeouts.limit(future, LIMIT, () -> late);
        IllegalArgumentException failure = new IllegalArgumentException("x");
        future.completeExceptionally(new CompletionException(failure));
        assertThatThrownBy(limited::join).hasCause(failure);
        assertThat(time.timers()).isZero();
    }

    @Test
    void futureFailsAtDeadlineAndIgnoresLaterResult() {
        CompletableFuture<String> limited = timeouts.limit(future, LIMIT, () -> late);
        time.advance(LIMIT.minusNanos(1));
        assertThat(limited).isNotDone();
        time.advance(Duration.ofNanos(1));
        assertThatThrownBy(limited::join).hasCause(late);
        assertThat(future).isNotDone();
        future.complete("value");
        assertThatThrownBy(limited::join).hasCause(late);
    }

    @Test
    void operationIsCancelledAtDeadlineAndItsFutureGetsOtherResult() {
        CompletableFuture<String> limited = timeouts.limitOrCancel(future, LIMIT, answer -> answer.complete("late"));
        time.advance(LIMIT);
        assertThat(limited).isCompletedWithValue("late");
        assertThat(future).isCancelled();
        CompletableFuture<String> early = new CompletableFuture<>();
        CompletableFuture<String> ended = timeouts.limitOrCancel(early, LIMIT, answer -> answer.complete("late"));
        early.complete("value");
        assertThat(ended).isCompletedWithValue("value");
        assertThat(time.timers()).isZero();
    }

    @Test
    void cancellingFutureWithTimeLimitCancelsTimer() {
        timeouts.limit(future, LIMIT, () -> late).cancel(true);
        assertThat(time.timers()).isZero();
    }

    @Test
    void completedFutureNeedsNoTimer() {
        future.complete("value");
        assertThat(timeouts.limit(future, LIMIT, () -> late)).isSameAs(future);
        assertThat(time.timers()).isZero();
    }

    @Test
    void futureFailsAtOnceIfTimerRejectsTaskAndAtDeadlineIfExecutorRejectsTask() {
        RejectedExecutionException rejected = new RejectedExecutionException("closed");
        Timeouts noTimer = new Timeouts(
                (delay, task) -> {
                    throw rejected;
                },
                time);
        assertThatThrownBy(noTimer.limit(future, LIMIT, () -> late)::join).hasCause(rejected);
        Timeouts noExecutor = new Timeouts(time, task -> {
            throw rejected;
        });
        CompletableFuture<String> limited = noExecutor.limit(future, LIMIT, () -> late);
        time.advance(LIMIT);
        assertThatThrownBy(limited::join).hasCause(late);
    }
}
