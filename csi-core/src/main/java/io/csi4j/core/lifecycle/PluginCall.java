package io.csi4j.core.lifecycle;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * A call of this engine that has not ended. The call is in flight, or it waits because the number of calls in flight is
 * limited.
 *
 * @param rpc the RPC; {@link Rpc#NODE_UNPUBLISH_VOLUME} stands for all calls of a release on a node
 * @param pluginId the plugin
 * @param nodeId the node of the called plugin instance; empty while the call waits
 * @param volume the volume; empty if the call concerns no registered volume, or if the caller may not read the volume
 * @param attempt the number of the attempt, from 1
 * @param since the time when the engine wanted to make the call
 * @param sentAt the time when the request was sent; empty while the call waits
 */
public record PluginCall(
        Rpc rpc,
        PluginId pluginId,
        Optional<NodeId> nodeId,
        Optional<VolumeKey> volume,
        int attempt,
        Instant since,
        Optional<Instant> sentAt) {
    public PluginCall {
        Objects.requireNonNull(rpc, "rpc");
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(since, "since");
        Objects.requireNonNull(sentAt, "sentAt");
    }

    /** Returns whether the request was sent. */
    public boolean inFlight() {
        return sentAt.isPresent();
    }

    /**
     * Returns the time since the request was sent. If the call still waits, returns the time that it has waited so far.
     * Never negative.
     *
     * @param now the current time
     */
    public Duration age(Instant now) {
        Duration age = Duration.between(sentAt.orElse(since), now);
        return age.isNegative() ? Duration.ZERO : age;
    }

    /** Returns the same call without its volume. */
    public PluginCall withoutVolume() {
        return new PluginCall(rpc, pluginId, nodeId, Optional.empty(), attempt, since, sentAt);
    }
}
