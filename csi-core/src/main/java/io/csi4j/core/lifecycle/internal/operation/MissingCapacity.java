package io.csi4j.core.lifecycle.internal.operation;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.RefusedException;
import io.csi4j.core.lifecycle.internal.call.Failures;

/** Handles RESOURCE_EXHAUSTED of calls that create snapshots. Such a call is not retried, because waiting does not help (R79). */
final class MissingCapacity {
    private MissingCapacity() {}

    /**
     * Returns the failure with which an attempt ends. After RESOURCE_EXHAUSTED it is a permanent one, and its message
     * says whether an earlier request may have created the snapshot.
     *
     * @param attempt the number of the attempt, from 1
     */
    static Throwable permanent(Throwable failure, int attempt) {
        if (Failures.code(failure) != StatusCode.RESOURCE_EXHAUSTED) {
            return Futures.unwrap(failure);
        }
        if (attempt == 1 && Failures.outcome(failure) != CallOutcome.OUTCOME_UNKNOWN) {
            return new RefusedException(Futures.unwrap(failure));
        }
        return new CsiException(
                Futures.unwrap(failure).getMessage()
                        + "; an earlier attempt may have created it: free capacity and repeat the"
                        + " request unchanged",
                Futures.unwrap(failure));
    }
}
