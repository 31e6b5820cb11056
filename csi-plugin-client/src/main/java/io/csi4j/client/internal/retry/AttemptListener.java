package io.csi4j.client.internal.retry;

/**
 * Receives the end of one attempt; exactly one of the methods is called, once.
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
     * @param sent whether the plugin may have received the call
     * @param repeatable false if a retry would certainly fail in the same way, so that none is made even if the rules permit it
     */
    void failed(Throwable failure, boolean sent, boolean repeatable);
}
