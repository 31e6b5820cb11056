package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.StatusCode;

/** The right to have one call under way. Close it once the call ended. */
public interface CallPermit extends AutoCloseable {
    /**
     * Tells how the call ended, before the permit is closed; not told: nothing is learnt from it. The code
     * and not the outcome class, because only two codes say that a plugin has too much to do.
     */
    void outcome(StatusCode code);

    /** Lets the next call go. Repeating it does nothing. */
    @Override
    void close();
}
