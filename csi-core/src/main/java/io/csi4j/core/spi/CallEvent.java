package io.csi4j.core.spi;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A call to a plugin ended. Tells numbers and ids only, no text of the plugin.
 *
 * @param rpc the call; for the node's part of a release {@link Rpc#NODE_UNPUBLISH_VOLUME}, whether or not
 *     NodeUnstageVolume followed
 * @param nodeId where the instance runs that was called
 * @param volume the volume it was about; empty: about none that is known here
 * @param code how it ended; UNKNOWN where it ended without a status
 * @param attempt which attempt at the step this was, from 1
 * @param duration from sending to the answer
 * @param queueAge how long it had waited for its turn before it was sent
 * @param at when it ended
 */
public record CallEvent(
        Rpc rpc,
        PluginId pluginId,
        NodeId nodeId,
        Optional<VolumeKey> volume,
        StatusCode code,
        int attempt,
        Duration duration,
        Duration queueAge,
        Instant at) {
    public CallEvent {
        Objects.requireNonNull(rpc, "rpc");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(code, "code");
        Objects.requireNonNull(duration, "duration");
        Objects.requireNonNull(queueAge, "queueAge");
        Objects.requireNonNull(at, "at");
    }
}
