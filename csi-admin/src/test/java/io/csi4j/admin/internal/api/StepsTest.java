package io.csi4j.admin.internal.api;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** The calls of an action one after the other, and their cancellation. */
class StepsTest {
    private final CompletableFuture<String> first = new CompletableFuture<>();
    private final CompletableFuture<String> second = new CompletableFuture<>();
    private final AtomicInteger begun = new AtomicInteger();

    private final CompletableFuture<String> result = Steps.then(first, value -> {
        begun.incrementAndGet();
        return second;
    });

    @Test
    void cancellationDuringTheFirstCallCancelsItAndBeginsNoFurtherOne() {
        result.cancel(false);
        assertThat(first).isCancelled();
        assertThat(begun).hasValue(0);
    }

    @Test
    void callThatEndsAllTheSameAfterItsCancellationIsFollowedByNone() {
        CompletableFuture<String> stubborn = new CompletableFuture<>() {
            @Override
            public boolean cancel(boolean mayInterruptIfRunning) {
                return false;
            }
        };
        CompletableFuture<String> cancelled = Steps.then(stubborn, value -> {
            begun.incrementAndGet();
            return second;
        });
        cancelled.cancel(false);
        stubborn.complete("found");
        assertThat(begun).hasValue(0);
    }

    @Test
    void cancellationDuringTheSecondCallCancelsIt() {
        first.complete("found");
        assertThat(begun).hasValue(1);
        result.cancel(false);
        assertThat(second).isCancelled();
    }

    @Test
    void failureOfAStepIsTheFailureOfTheAction() {
        IllegalStateException failure = new IllegalStateException("no plugin");
        first.completeExceptionally(failure);
        assertThat(begun).hasValue(0);
        assertThat(result)
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .isSameAs(failure);
    }
}
