package io.csi4j.client.internal.retry;

import io.csi4j.core.spi.Cancellable;

/**
 * Sends one call to the plugin; each attempt sends the same bytes (R29).
 *
 * @param <R> the type of the response
 */
@FunctionalInterface
public interface Transmission<R> {
    /**
     * Sends the call once, as one attempt.
     *
     * @param nanos the time to wait for the response, in nanoseconds
     * @param listener receives the end of the attempt, perhaps before this method returns
     * @return an object that cancels the attempt; the listener is notified of a cancelled attempt, too
     */
    Cancellable send(long nanos, AttemptListener<? super R> listener);
}
