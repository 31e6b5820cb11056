package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.StatusCode;

/** The permit for one call in flight. The caller closes it when the call has ended. */
public interface CallPermit extends AutoCloseable {
    /**
     * Reports the status code with which the call ended, before the permit is closed. The limit of calls in flight
     * adapts to this code. Without a report the limit stays as it is.
     */
    void outcome(StatusCode code);

    /** Frees the permit for the next call. Closing again has no effect. */
    @Override
    void close();
}
