package io.csi4j.node.transport;

import io.csi4j.client.RelayedCall;
import io.csi4j.core.plugin.InstanceKey;
import java.time.Duration;
import java.util.Objects;

/**
 * A call that a server relays to the controller of a plugin on a node, see {@link io.csi4j.client.CallRelay}. The answer
 * of a call with one response is the plugin's message; that of a streaming call is a {@link TransportCodec#PAGE}.
 *
 * @param instance the plugin instance to call
 * @param call the call; contains secrets, and shows none
 * @param deadline the time to wait for the response
 */
public record RelayedRequest(InstanceKey instance, RelayedCall call, Duration deadline) {
    /** @throws IllegalArgumentException if the deadline is shorter than a millisecond */
    public RelayedRequest {
        Objects.requireNonNull(instance, "instance");
        Objects.requireNonNull(call, "call");
        if (deadline.toMillis() < 1) {
            throw new IllegalArgumentException(
                    "RelayedRequest: the deadline is " + deadline + "; use a millisecond or more");
        }
    }
}
