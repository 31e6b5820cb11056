package io.csi4j.client.retry;

import io.csi4j.core.call.Rpc;
import java.time.Duration;
import java.util.Objects;

/**
 * A call that ended with an unknown outcome and may still take effect (R30). Until the call is repeated or undone, other calls that change
 * its subject are rejected.
 *
 * @param rpc the RPC
 * @param subject the provider's id of the volume, snapshot or group
 * @param location the node's id or the path; empty if the RPC has neither
 * @param age the time since the call ended
 */
public record UnresolvedRequest(Rpc rpc, String subject, String location, Duration age) {
    public UnresolvedRequest {
        Objects.requireNonNull(rpc, "rpc");
        Objects.requireNonNull(subject, "subject");
        Objects.requireNonNull(location, "location");
        Objects.requireNonNull(age, "age");
    }
}
