package io.csi4j.simulation.internal.world;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;

/** The zones of nodes and volumes. */
public final class SimTopology {
    private static final String KEY = "sim.example.com/zone";
    private static final List<Topology> ZONES = List.of(Topology.of(KEY, "z1"), Topology.of(KEY, "z2"));

    private final boolean zoned;
    private final SplittableRandom random;
    private final Map<SimNode, Optional<Topology>> nodes = new HashMap<>();
    private final Map<String, List<Topology>> volumes = new HashMap<>();
    /** The capacity of the zones that have a limit, in bytes. */
    private final Map<Topology, Long> capacities = new HashMap<>();
    /** The sizes of created volumes in bytes. */
    private final Map<String, Long> sizes = new HashMap<>();

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

    /** Ends all limits. */
    public void endLimits() {
        capacities.clear();
    }

    /** Limits the bytes of the volumes that are created in each zone. */
    public void limitZones(LongSupplier bytes) {
        ZONES.forEach(zone -> setCapacity(zone, bytes.getAsLong()));
    }

    /** Limits the bytes of the volumes that are created in a zone. */
    public void setCapacity(Topology zone, long bytes) {
        capacities.put(zone, bytes);
    }

    /**
     * The free bytes in a zone; without a zone, in all zones together (R75). The largest number means that there is no limit.
     */
    public long available(Optional<Topology> zone) {
        if (zone.isPresent()) {
            return left(zone.get());
        }
        return ZONES.stream()
                .mapToLong(this::left)
                .reduce(0, (one, two) -> one > Long.MAX_VALUE - two ? Long.MAX_VALUE : one + two);
    }

    private long left(Topology zone) {
        Long capacity = capacities.get(zone);
        return capacity == null ? Long.MAX_VALUE : Math.max(0, capacity - used(zone));
    }

    private long used(Topology zone) {
        return sizes.entrySet().stream()
                .filter(size -> volumes.getOrDefault(size.getKey(), List.of()).contains(zone))
                .mapToLong(Map.Entry::getValue)
                .sum();
    }

    /**
     * Chooses the zone of a new volume: the first preferred one with room, or any allowed one with room (R53). Refuses the volume if no
     * allowed zone has room (R58).
     *
     * @param bytes the size of the volume
     * @param wrongZone whether to choose a zone that is not allowed, if there is one
     */
    public List<Topology> create(
            ExternalVolumeId volume, Optional<TopologyRequirement> requirement, long bytes, boolean wrongZone) {
        List<Topology> known = volumes.get(volume.value());
        if (known != null) {
            return known;
        }
        List<Topology> chosen = chooseZones(requirement, bytes, wrongZone);
        volumes.put(volume.value(), chosen);
        sizes.put(volume.value(), bytes);
        return chosen;
    }

    /** Expands a volume; refuses it if its zone has no room (R84). */
    public void expand(ExternalVolumeId volume, long bytes) {
        long before = sizes.getOrDefault(volume.value(), 0L);
        if (bytes <= before) {
            return;
        }
        if (of(volume).stream().anyMatch(zone -> bytes - before > left(zone))) {
            throw new Refusal(StatusCode.OUT_OF_RANGE);
        }
        sizes.put(volume.value(), bytes);
    }

    private List<Topology> chooseZones(Optional<TopologyRequirement> requirement, long bytes, boolean wrongZone) {
        List<Topology> allowed = new ArrayList<>(requirement
                .map(TopologyRequirement::requisite)
                .filter(one -> zoned)
                .orElse(List.of()));
        if (wrongZone) {
            List<Topology> elsewhere = new ArrayList<>(ZONES);
            elsewhere.removeAll(allowed);
            if (elsewhere.isEmpty() && requirement.isPresent()) {
                elsewhere = new ArrayList<>(allowed);
                elsewhere.removeAll(requirement.get().preferred());
            }
            allowed = elsewhere.isEmpty() ? allowed : elsewhere;
        } else if (requirement.isPresent()) {
            allowed = requirement.get().preferred().stream()
                    .filter(zone -> bytes <= left(zone))
                    .findFirst()
                    .map(List::of)
                    .orElse(allowed);
        }
        if (allowed.isEmpty()) {
            return zoned ? anyZoneFor(bytes) : List.of();
        }
        allowed = withRoom(allowed, bytes);
        return List.of(allowed.get(random.nextInt(allowed.size())));
    }

    /** Chooses a zone at random. Without a zone, a volume takes room from none. */
    private List<Topology> anyZoneFor(long bytes) {
        Optional<Topology> zone = anyZone();
        if (zone.filter(chosen -> bytes > left(chosen)).isPresent()) {
            return withRoom(ZONES, bytes).subList(0, 1);
        }
        return zone.map(List::of).orElse(List.of());
    }

    private List<Topology> withRoom(List<Topology> zones, long bytes) {
        List<Topology> found =
                zones.stream().filter(zone -> bytes <= left(zone)).toList();
        if (found.isEmpty()) {
            throw new Refusal(StatusCode.RESOURCE_EXHAUSTED);
        }
        return found;
    }

    public void forget(ExternalVolumeId volume) {
        volumes.remove(volume.value());
        sizes.remove(volume.value());
    }
}
