package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.StatusCode;

/** The permit for one call in flight. Close it when the call has ended. */
public interface CallPermit extends AutoCloseable {
    /**
     * Reports the end of the call, before the permit is closed; without a report, the limit does not adapt. Takes the status code and
     * not the outcome class, because only two codes signal overload.
     */
    void outcome(StatusCode code);

    /** Returns the permit to the next call. Closing again has no effect. */
    @Override
    void close();
}
