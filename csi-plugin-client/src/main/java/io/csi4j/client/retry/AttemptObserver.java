package io.csi4j.client.retry;

/**
 * Observes each attempt of each call, for metrics by plugin, RPC and code; a stream is one attempt. Calls that are rejected before
 * sending have no attempt.
 *
 * <p>The thread that receives the end of the attempt calls the observer before the caller is notified, so the observer has to be fast
 * and must not block. Thread-safe.
 */
@FunctionalInterface
public interface AttemptObserver {
    /** Handles the end of an attempt. If this method throws, the exception is logged and the call continues. */
    void attemptEnded(AttemptEvent event);
}
