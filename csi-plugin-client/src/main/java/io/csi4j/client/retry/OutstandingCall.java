package io.csi4j.client.retry;

import io.csi4j.core.call.Rpc;
import java.time.Duration;
import java.util.Objects;

/**
 * A call that ended without a definite answer and may take effect yet (R30). Until it is repeated with one, or
 * undone, other changes of its subject are refused.
 *
 * @param rpc what was called
 * @param subject the volume, snapshot or group, by the provider's id
 * @param place the node's id or the path; empty where the RPC knows none
 * @param age since it ended
 */
public record OutstandingCall(Rpc rpc, String subject, String place, Duration age) {
    public OutstandingCall {
        Objects.requireNonNull(rpc, "rpc");
        Objects.requireNonNull(subject, "subject");
        Objects.requireNonNull(place, "place");
        Objects.requireNonNull(age, "age");
    }
}
