package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Volume;
import java.util.Objects;
import java.util.Optional;

/**
 * The subject of a call, for routing, limits and events.
 *
 * @param rpc the RPC
 * @param plugin the plugin
 * @param volume the volume; empty: the call is not about a volume of the state
 * @param routingKey calls with the same key go to the same instance
 * @param attempt the number of the attempt at this step, from 1
 */
public record CallSubject(Rpc rpc, PluginId plugin, Optional<VolumeKey> volume, String routingKey, int attempt) {
    public CallSubject {
        Objects.requireNonNull(rpc, "rpc");
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(routingKey, "routingKey");
    }

    /** Returns the subject of a call about a volume. */
    public static CallSubject of(Rpc rpc, Volume volume, int attempt) {
        return of(rpc, volume.pluginId(), volume.key(), attempt);
    }

    public static CallSubject of(Rpc rpc, PluginId plugin, VolumeKey volume, int attempt) {
        String routingKey = volume.namespace().value() + "/" + volume.volumeId().value();
        return new CallSubject(rpc, plugin, Optional.of(volume), routingKey, attempt);
    }

    /** Returns the subject of a call about the plugin, or about an object that only the provider has. */
    public static CallSubject of(Rpc rpc, PluginId plugin, String routingKey) {
        return new CallSubject(rpc, plugin, Optional.empty(), routingKey, 1);
    }

    /** Returns the subject of another attempt. */
    public CallSubject attempt(int attempt) {
        return new CallSubject(rpc, plugin, volume, routingKey, attempt);
    }

    CallKind kind() {
        return switch (rpc) {
            case CONTROLLER_PUBLISH_VOLUME -> CallKind.PUBLISH;
            case CONTROLLER_UNPUBLISH_VOLUME, NODE_UNPUBLISH_VOLUME -> CallKind.UNPUBLISH;
            default -> CallKind.OTHER;
        };
    }
}
