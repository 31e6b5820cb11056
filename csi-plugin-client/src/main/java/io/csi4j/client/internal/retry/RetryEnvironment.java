package io.csi4j.client.internal.retry;

import io.csi4j.client.retry.AttemptObserver;
import io.csi4j.core.spi.Timer;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * The parts of a client that its retried calls use.
 *
 * @param nanoTime the source of elapsed time, in nanoseconds
 * @param timer runs delayed tasks, and possibly code of callers on the same threads; when it is closed, it runs its
 *     remaining tasks at once
 * @param closed whether the client is closed
 * @param observer observes the attempts; empty: none
 */
public record RetryEnvironment(
        LongSupplier nanoTime, Timer timer, BooleanSupplier closed, Optional<AttemptObserver> observer) {
    public RetryEnvironment {
        Objects.requireNonNull(nanoTime, "nanoTime");
        Objects.requireNonNull(timer, "timer");
        Objects.requireNonNull(closed, "closed");
        Objects.requireNonNull(observer, "observer");
    }
}
