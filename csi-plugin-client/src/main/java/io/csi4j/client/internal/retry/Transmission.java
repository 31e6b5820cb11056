package io.csi4j.client.internal.retry;

import io.csi4j.core.spi.Cancellable;

/**
 * Carries one call to the plugin, as often as it is told; each time with the same bytes (R29).
 *
 * @param <R> the answer
 */
@FunctionalInterface
public interface Transmission<R> {
    /**
     * Sends the call once.
     *
     * @param nanos how long to wait for the answer, in nanoseconds
     * @param listener is told how it ended, perhaps before this returns
     * @return ends the waiting; the listener is told of that too
     */
    Cancellable send(long nanos, AttemptListener<? super R> listener);
}
