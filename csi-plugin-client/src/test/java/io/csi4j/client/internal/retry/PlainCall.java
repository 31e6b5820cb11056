package io.csi4j.client.internal.retry;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import org.jspecify.annotations.Nullable;

/** A call without a message. */
record PlainCall(Rpc rpc, @Nullable String subject, String location, Object identity) implements CallTarget {
    static PlainCall of(Rpc rpc, @Nullable String subject, String location) {
        return new PlainCall(rpc, subject, location, rpc + " " + subject + " " + location);
    }

    @Override
    public boolean continuesPage() {
        return false;
    }

    @Override
    public String description() {
        return rpc.csiName() + " for " + subject + " at " + location;
    }

    /** Returns the failure of the call with a status of the plugin. */
    CsiCallException failure(StatusCode code) {
        return new CsiCallException(
                rpc,
                "ebs",
                subject,
                code,
                CallOutcome.of(rpc, code, false),
                "long " + code + ".",
                "short " + code + ".",
                new IllegalStateException("cause"));
    }
}
