package io.csi4j.client.internal.retry;

import io.csi4j.client.retry.AttemptObserver;
import io.csi4j.core.spi.Timer;
import java.util.Objects;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * What calls need of the world.
 *
 * @param nanoTime elapsed time, in nanoseconds since some fixed moment
 * @param timer runs tasks later, on threads that may run callers' code; when it ends, at once
 * @param closed whether nothing may be sent any more
 * @param observer is told of each try; empty: nobody is
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
