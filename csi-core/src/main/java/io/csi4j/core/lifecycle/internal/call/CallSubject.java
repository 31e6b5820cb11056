package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * Describes a call for routing, limits and events.
 *
 * @param rpc the RPC
 * @param plugin the plugin
 * @param volume the volume; empty if the call is not about a volume of the state
 * @param routingKey a text; calls with the same text go to the same plugin instance
 * @param attempt the number of this attempt at the call, from 1
 * @param place the topologies of which one has to be that of the instance, for a plugin whose controllers serve only their
 *     own place; empty if any instance serves the call
 * @param target the node to which a controller attaches the volume, or from which it detaches it; empty for other calls
 */
public record CallSubject(
        Rpc rpc,
        PluginId plugin,
        Optional<VolumeKey> volume,
        String routingKey,
        int attempt,
        List<Topology> place,
        Optional<NodeId> target) {
    public CallSubject {
        Objects.requireNonNull(rpc, "rpc");
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(routingKey, "routingKey");
        place = List.copyOf(place);
        Objects.requireNonNull(target, "target");
    }

    /** Returns the subject of a call about a volume. */
    public static CallSubject of(Rpc rpc, Volume volume, int attempt) {
        return of(rpc, volume.pluginId(), volume.key(), attempt).in(place(volume));
    }

    /** Returns where a volume is, or where it is being made; empty if it may be anywhere. */
    private static List<Topology> place(Volume volume) {
        if (volume.externalVolumeId().isPresent()) {
            return volume.facts().accessibleTopology();
        }
        return volume.spec()
                .accessibilityRequirements()
                .map(asked -> asked.preferred().isEmpty()
                        ? asked.requisite()
                        : List.of(asked.preferred().get(0)))
                .orElse(List.of());
    }

    public static CallSubject of(Rpc rpc, PluginId plugin, VolumeKey volume, int attempt) {
        String routingKey = volume.namespace().value() + "/" + volume.volumeId().value();
        return new CallSubject(rpc, plugin, Optional.of(volume), routingKey, attempt, List.of(), Optional.empty());
    }

    /**
     * Returns the subject of a call about the plugin itself, or about an object that has no row in the state, such as a
     * snapshot.
     */
    public static CallSubject of(Rpc rpc, PluginId plugin, String routingKey) {
        return new CallSubject(rpc, plugin, Optional.empty(), routingKey, 1, List.of(), Optional.empty());
    }

    /** Returns the same subject with another attempt number. */
    public CallSubject attempt(int attempt) {
        return new CallSubject(rpc, plugin, volume, routingKey, attempt, place, target);
    }

    /** Returns the same subject with the node to which the volume is attached, or from which it is detached. */
    public CallSubject on(NodeId nodeId) {
        return new CallSubject(rpc, plugin, volume, routingKey, attempt, place, Optional.of(nodeId));
    }

    /** Returns the same subject with the topologies of which one has to be that of the instance. */
    public CallSubject in(List<Topology> topologies) {
        return new CallSubject(rpc, plugin, volume, routingKey, attempt, topologies, target);
    }

    CallKind kind() {
        if (rpc.opposite().isEmpty()) {
            return CallKind.OTHER;
        }
        return rpc.endsUse() ? CallKind.UNPUBLISH : CallKind.PUBLISH;
    }
}
