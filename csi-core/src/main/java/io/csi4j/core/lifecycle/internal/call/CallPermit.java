package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.StatusCode;

/** The permit for one call in flight. The caller closes it when the call has ended. */
public interface CallPermit extends AutoCloseable {
    /**
     * Reports the status code of the ended call. The caller reports it before it closes the permit. The limit of calls
     * in flight adapts to the reported codes.
     */
    void outcome(StatusCode code);

    /** Frees the permit for the next call. Closing again has no effect. */
    @Override
    void close();
}
