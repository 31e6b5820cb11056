package io.csi4j.core.placement;

import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.WorkloadOwner;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.BiFunction;
import java.util.function.Function;

/** The volumes of a workload or of a group of allocations, by where they lie. */
final class Spread {
    private final List<Placed> volumes;

    private Spread(List<Placed> volumes) {
        this.volumes = volumes;
    }

    /** A volume, and where it is or is being made; no topology if it is everywhere. */
    private record Placed(PluginId plugin, List<Topology> topologies) {}

    /**
     * Returns the volumes of the state and of the placements that are proposed already.
     *
     * @param topology the topology of a node for a plugin
     */
    static Spread of(
            StateReader state,
            Namespace namespace,
            NodePreference preference,
            Map<VolumeKey, Volume> proposed,
            BiFunction<PluginId, NodeId, Optional<Topology>> topology) {
        Map<VolumeKey, Volume> found = new HashMap<>();
        Optional<WorkloadOwner> workload = preference.workload();
        workload.ifPresent(owner -> state.volumesOwnedBy(namespace, owner.name())
                .forEach(key -> state.volume(key).ifPresent(volume -> found.put(key, volume))));
        preference
                .group()
                .forEach(allocation -> state.volumesClaimedBy(allocation)
                        .forEach(key -> state.volume(key).ifPresent(volume -> found.put(key, volume))));
        found.putAll(proposed);
        return new Spread(found.values().stream()
                .filter(volume -> workload.filter(owner -> isOwned(volume, namespace, owner))
                                .isPresent()
                        || preference.group().stream()
                                .anyMatch(allocation ->
                                        volume.claims().get(allocation).isPresent()))
                .map(volume -> new Placed(volume.pluginId(), topologies(volume, topology)))
                .toList());
    }

    private static boolean isOwned(Volume volume, Namespace namespace, WorkloadOwner owner) {
        return volume.key().namespace().equals(namespace)
                && volume.owner()
                        .flatMap(VolumeOwner::ofWorkload)
                        .filter(known -> known.workload().equals(owner))
                        .isPresent();
    }

    private static List<Topology> topologies(Volume volume, BiFunction<PluginId, NodeId, Optional<Topology>> topology) {
        if (volume.externalVolumeId().isPresent()) {
            return volume.facts().accessibleTopology();
        }
        List<Topology> preferred = volume.spec()
                .accessibilityRequirements()
                .map(TopologyRequirement::preferred)
                .orElse(List.of());
        // A volume that a proposed placement makes gets the topology of its node.
        return preferred.isEmpty()
                ? volume.claims().nodeIds().stream()
                        .flatMap(nodeId -> topology.apply(volume.pluginId(), nodeId).stream())
                        .toList()
                : preferred;
    }

    boolean isEmpty() {
        return volumes.isEmpty();
    }

    /**
     * Returns the number of volumes in the topology of a node.
     *
     * @param topology the topology of the node for a plugin
     * @param plugins the plugins of the volumes that are to be placed; volumes of others do not count
     */
    int on(Function<PluginId, Optional<Topology>> topology, List<PluginId> plugins) {
        int there = 0;
        for (PluginId plugin : plugins) {
            Optional<Topology> node = topology.apply(plugin);
            for (Placed volume : volumes) {
                boolean counts = volume.plugin().equals(plugin)
                        && node.filter(place -> place.containsAny(volume.topologies()))
                                .isPresent();
                there += counts ? 1 : 0;
            }
        }
        return there;
    }
}
