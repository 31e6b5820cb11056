package io.csi4j.client.internal.retry;

/**
 * Gets the end of one attempt, once.
 *
 * @param <R> the type of the response
 */
public interface AttemptListener<R> {
    /** Handles a response. */
    void answered(R answer);

    /**
     * Handles an attempt without a usable response.
     *
     * @param failure a {@link io.csi4j.core.call.CsiCallException}, except for defects of this client
     * @param sent whether the plugin may have seen the call
     * @param repeatable false if a repeat would end the same way, whatever the rules say
     */
    void failed(Throwable failure, boolean sent, boolean repeatable);
}
