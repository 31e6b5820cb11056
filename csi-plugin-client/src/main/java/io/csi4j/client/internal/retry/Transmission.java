package io.csi4j.client.internal.retry;

import io.csi4j.core.spi.Cancellable;

/**
 * Sends one call to the plugin, for each attempt with the same bytes (R29).
 *
 * @param <R> the type of the response
 */
@FunctionalInterface
public interface Transmission<R> {
    /**
     * Sends the call once.
     *
     * @param nanos the time to wait for the response, in nanoseconds
     * @param listener gets the end, perhaps before this method returns
     * @return ends the waiting, which the listener is notified of, too
     */
    Cancellable send(long nanos, AttemptListener<? super R> listener);
}
