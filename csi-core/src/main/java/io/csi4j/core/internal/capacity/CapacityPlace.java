package io.csi4j.core.internal.capacity;

import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.internal.command.PlacementFacts;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A class of volumes in one topology. The capacity of two classes is never added: their volumes may or may not share a pool.
 *
 * @param topology the complete topology of a node; empty if the plugin has no topologies
 */
public record CapacityPlace(VolumeClassName className, Optional<Topology> topology) {
    public CapacityPlace {
        Objects.requireNonNull(className, "className");
        Objects.requireNonNull(topology, "topology");
    }

    /** Returns the place of a volume that a claim would make for a node; empty if it is not known. */
    static Optional<CapacityPlace> of(VolumeClassName className, PlacementFacts facts) {
        if (!facts.capabilities().has(PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS)) {
            return Optional.of(new CapacityPlace(className, Optional.empty()));
        }
        return facts.nodeInfo()
                .flatMap(NodeInfo::accessibleTopology)
                .map(topology -> new CapacityPlace(className, Optional.of(topology)));
    }

    /**
     * Returns the place for which the creation of a volume was begun. Empty if the volume has no class, or if it was created
     * for no place of several.
     */
    public static Optional<CapacityPlace> of(Volume volume) {
        Optional<VolumeClassName> className = volume.classOrigin().map(ClassOrigin::name);
        if (volume.spec().accessibilityRequirements().isEmpty()) {
            return className.map(name -> new CapacityPlace(name, Optional.empty()));
        }
        List<Topology> preferred =
                volume.spec().accessibilityRequirements().orElseThrow().preferred();
        return preferred.isEmpty()
                ? Optional.empty()
                : className.map(name -> new CapacityPlace(name, Optional.of(preferred.get(0))));
    }
}
