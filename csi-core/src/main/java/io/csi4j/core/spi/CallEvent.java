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
 * Reports that a call to a plugin has ended. The event has only numbers and ids, and no text from the plugin's answer.
 *
 * @param rpc the RPC. When a node detaches a volume, it may call NodeUnpublishVolume and NodeUnstageVolume; both
 *     together are reported as one event with {@link Rpc#NODE_UNPUBLISH_VOLUME}
 * @param pluginId the plugin that was called
 * @param nodeId the node of the called plugin instance
 * @param volume the volume of the call; empty if the call concerns no registered volume
 * @param code the status code; UNKNOWN if the call ended without a status
 * @param attempt the number of the attempt, from 1
 * @param duration the time from sending the request to its end
 * @param queueAge how long the call waited before it was sent
 * @param at the time when the call ended
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
