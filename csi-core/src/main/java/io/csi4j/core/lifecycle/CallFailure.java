package io.csi4j.core.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.NodeId;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * The last failure of a call that the engine makes for a volume, with the plugin's own words. The engine keeps it in
 * memory until the call or its opposite succeeds, and never stores it.
 *
 * @param rpc the RPC of the call; calls on a node to unmount a volume are reported as
 *     {@link Rpc#NODE_UNPUBLISH_VOLUME}
 * @param nodeId the node that the call is about; empty if it is about the volume itself
 * @param code the status code; UNKNOWN if the call ended without a status
 * @param text the failure in one line, with the plugin's text; confidential values that csi4j knows are hidden, and a
 *     long text is cut
 * @param sent whether the call was sent; false if the secrets for it were not available ({@link
 *     io.csi4j.core.spi.SecretsProvider})
 * @param failures how often the call has failed since it last succeeded
 * @param since the time of the first of these failures
 * @param at the time of the last one
 */
public record CallFailure(
        Rpc rpc,
        Optional<NodeId> nodeId,
        StatusCode code,
        String text,
        boolean sent,
        int failures,
        Instant since,
        Instant at) {
    public CallFailure {
        Objects.requireNonNull(rpc, "rpc");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(code, "code");
        Objects.requireNonNull(text, "text");
        Objects.requireNonNull(since, "since");
        Objects.requireNonNull(at, "at");
    }
}
