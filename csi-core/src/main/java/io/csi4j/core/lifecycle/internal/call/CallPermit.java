package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.StatusCode;

/** The permit for one call in flight. The caller closes it when the call has ended. */
public interface CallPermit extends AutoCloseable {
    /**
     * Reports how the call ended. The caller reports it before it closes the permit; without a report, the limit does
     * not adapt. The parameter is the status code and not the outcome class, because only two codes signal overload.
     */
    void outcome(StatusCode code);

    /** Frees the permit for the next call. Closing again has no effect. */
    @Override
    void close();
}
