package io.csi4j.simulation.internal.world;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;

/** The zones of nodes and volumes. */
public final class SimTopology {
    private static final String KEY = "sim.example.com/zone";
    private static final List<Topology> ZONES = List.of(Topology.of(KEY, "z1"), Topology.of(KEY, "z2"));

    private final boolean zoned;
    private final SplittableRandom random;
    private final Map<SimNode, Optional<Topology>> nodes = new HashMap<>();
    private final Map<String, List<Topology>> volumes = new HashMap<>();

    public SimTopology(boolean zoned, SplittableRandom random) {
        this.zoned = zoned;
        this.random = random;
    }

    /** The zone of a node. A node may report none; it then reaches only volumes without a zone (R24). */
    public Optional<Topology> of(SimNode node) {
        return zoned ? nodes.computeIfAbsent(node, one -> nextZone()) : Optional.empty();
    }

    /** Puts a machine into the zone of the one that it replaces. */
    public void replace(SimNode former, SimNode machine) {
        if (zoned) {
            nodes.put(machine, of(former));
        }
    }

    private Optional<Topology> nextZone() {
        int number = nodes.size();
        return number < ZONES.size() ? Optional.of(ZONES.get(number)) : anyZone();
    }

    private Optional<Topology> anyZone() {
        int number = random.nextInt(ZONES.size() + 1);
        return number < ZONES.size() ? Optional.of(ZONES.get(number)) : Optional.empty();
    }

    /** The zones from which the volume can be reached; empty: all. */
    public List<Topology> of(ExternalVolumeId volume) {
        return volumes.getOrDefault(volume.value(), List.of());
    }

    public boolean reaches(SimNode node, ExternalVolumeId volume) {
        List<Topology> zones = of(volume);
        return zones.isEmpty()
                || of(node).filter(zone -> zone.containsAny(zones)).isPresent();
    }

    /** Returns a random topology requirement for a volume; empty: there is no requirement. */
    public Optional<TopologyRequirement> requirement() {
        if (!zoned) {
            return Optional.empty();
        }
        Topology first = ZONES.get(random.nextInt(ZONES.size()));
        return switch (random.nextInt(3)) {
            case 0 -> Optional.empty();
            case 1 -> Optional.of(TopologyRequirement.requisite(first));
            default -> Optional.of(new TopologyRequirement(ZONES, List.of(first)));
        };
    }

    /** Sets the zones of a registered volume. */
    public void put(ExternalVolumeId volume, Optional<TopologyRequirement> requirement) {
        volumes.put(
                volume.value(), requirement.map(TopologyRequirement::requisite).orElse(List.of()));
    }

    /**
     * Chooses the zone of a new volume: the first preferred one, or any allowed one (R53).
     *
     * @param wrongZone whether to choose a zone that is not allowed, if there is one
     */
    public List<Topology> create(
            ExternalVolumeId volume, Optional<TopologyRequirement> requirement, boolean wrongZone) {
        return volumes.computeIfAbsent(volume.value(), id -> chooseZones(requirement, wrongZone));
    }

    private List<Topology> chooseZones(Optional<TopologyRequirement> requirement, boolean wrongZone) {
        List<Topology> allowed = new ArrayList<>(requirement
                .map(TopologyRequirement::requisite)
                .filter(one -> zoned)
                .orElse(List.of()));
        if (wrongZone) {
            List<Topology> elsewhere = new ArrayList<>(ZONES);
            elsewhere.removeAll(allowed);
            allowed = elsewhere.isEmpty() ? allowed : elsewhere;
        } else if (requirement.isPresent() && !requirement.get().preferred().isEmpty()) {
            allowed = requirement.get().preferred().subList(0, 1);
        }
        if (allowed.isEmpty()) {
            return zoned ? anyZone().map(List::of).orElse(List.of()) : List.of();
        }
        return List.of(allowed.get(random.nextInt(allowed.size())));
    }

    public void forget(ExternalVolumeId volume) {
        volumes.remove(volume.value());
    }
}
