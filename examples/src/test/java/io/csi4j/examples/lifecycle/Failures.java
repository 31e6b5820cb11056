package io.csi4j.examples.lifecycle;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;

/** Failures of plugins for tests. */
final class Failures {
    private Failures() {}

    static CsiCallException pageRestart() {
        return new CsiCallException(
                Rpc.LIST_VOLUMES,
                "plugin",
                null,
                StatusCode.ABORTED,
                CallOutcome.PAGE_RESTART,
                "the token is no longer good",
                null);
    }
}
