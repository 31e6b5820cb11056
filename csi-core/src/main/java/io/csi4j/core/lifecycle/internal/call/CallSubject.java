package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Volume;
import java.util.Objects;
import java.util.Optional;

/**
 * What a call is about: for routing, limits and events.
 *
 * @param rpc the call
 * @param plugin the plugin
 * @param volume the volume; empty: about none that is known here
 * @param routingKey calls of one key keep to one instance
 * @param attempt which attempt at the step this is, from 1
 */
public record CallSubject(Rpc rpc, PluginId plugin, Optional<VolumeKey> volume, String routingKey, int attempt) {
    public CallSubject {
        Objects.requireNonNull(rpc, "rpc");
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(routingKey, "routingKey");
    }

    /** A call about a volume. */
    public static CallSubject of(Rpc rpc, Volume volume, int attempt) {
        return of(rpc, volume.pluginId(), volume.key(), attempt);
    }

    public static CallSubject of(Rpc rpc, PluginId plugin, VolumeKey volume, int attempt) {
        String routingKey = volume.namespace().value() + "/" + volume.volumeId().value();
        return new CallSubject(rpc, plugin, Optional.of(volume), routingKey, attempt);
    }

    /** A call about the plugin, or about what only the provider knows. */
    public static CallSubject of(Rpc rpc, PluginId plugin, String routingKey) {
        return new CallSubject(rpc, plugin, Optional.empty(), routingKey, 1);
    }

    /** The same call, tried again. */
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
