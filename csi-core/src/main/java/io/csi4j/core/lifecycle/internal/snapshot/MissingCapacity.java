package io.csi4j.core.lifecycle.internal.snapshot;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.internal.call.Failures;

/** Handles RESOURCE_EXHAUSTED of calls that create snapshots. Such a call is not retried, because waiting does not help (R79). */
final class MissingCapacity {
    private MissingCapacity() {}

    /**
     * Returns the failure with which an attempt ends. After RESOURCE_EXHAUSTED it is a permanent one, and its message
     * says that the snapshot may exist: an earlier attempt may have created it, or this one, before the storage provider
     * limited the plugin's requests.
     */
    static Throwable permanent(Throwable failure) {
        Throwable cause = Futures.unwrap(failure);
        return Failures.code(cause) == StatusCode.RESOURCE_EXHAUSTED
                ? new CsiException(
                        cause.getMessage()
                                + "; the storage provider may have created it: free capacity and repeat the request"
                                + " unchanged",
                        cause)
                : cause;
    }
}
