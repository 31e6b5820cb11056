package io.csi4j.simulation.internal.world;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.simulation.internal.time.SimScheduler;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The snapshots at the provider: created at once under a name, and ready to use after a while. */
public final class SimProviderSnapshots {
    private static final Duration MAX_READY_DELAY = Duration.ofMinutes(1);

    /** A snapshot, or a group of snapshots. */
    private record NamedSnapshot(String id, List<ExternalVolumeId> sources, Duration readyAt) {}

    private final SimScheduler scheduler;
    private final Map<String, NamedSnapshot> snapshots = new TreeMap<>();
    private final Map<String, NamedSnapshot> groups = new TreeMap<>();
    private long lastNumber;

    public SimProviderSnapshots(SimScheduler scheduler) {
        this.scheduler = scheduler;
    }

    private NamedSnapshot getOrCreate(Map<String, NamedSnapshot> kind, String name, List<ExternalVolumeId> sources) {
        return kind.computeIfAbsent(
                name,
                key -> new NamedSnapshot(
                        key + "#" + ++lastNumber, sources, scheduler.elapsed().plus(scheduler.upTo(MAX_READY_DELAY))));
    }

    private boolean isReady(NamedSnapshot named) {
        return scheduler.elapsed().compareTo(named.readyAt) >= 0;
    }

    /** The name of the snapshot or group with that id. */
    public static String nameOf(String id) {
        return id.substring(0, Math.max(0, id.lastIndexOf('#')));
    }

    /** Returns the snapshot of that name, and creates it if there is none (R76). */
    public Snapshot snapshot(String name, ExternalVolumeId source) {
        return toSnapshot(getOrCreate(snapshots, name, List.of(source)));
    }

    private Snapshot toSnapshot(NamedSnapshot named) {
        return Snapshot.builder(SnapshotId.of(named.id), named.sources.get(0))
                .readyToUse(isReady(named))
                .build();
    }

    public Optional<Snapshot> find(SnapshotId id) {
        return Optional.ofNullable(snapshots.get(nameOf(id.value())))
                .filter(named -> named.id.equals(id.value()))
                .map(this::toSnapshot);
    }

    public void delete(SnapshotId id) {
        snapshots.values().removeIf(named -> named.id.equals(id.value()));
    }

    /** Returns the group of that name, and creates it if there is none. */
    public VolumeGroupSnapshot group(String name, List<ExternalVolumeId> sources) {
        return toGroup(getOrCreate(groups, name, sources));
    }

    private VolumeGroupSnapshot toGroup(NamedSnapshot named) {
        GroupSnapshotId group = GroupSnapshotId.of(named.id);
        return VolumeGroupSnapshot.builder(group)
                .readyToUse(isReady(named))
                .snapshots(named.sources.stream()
                        .map(source -> Snapshot.builder(SnapshotId.of(named.id + "/" + source.value()), source)
                                .groupSnapshotId(group)
                                .readyToUse(isReady(named))
                                .build())
                        .toList())
                .build();
    }

    public Optional<VolumeGroupSnapshot> find(GroupSnapshotId id) {
        return Optional.ofNullable(groups.get(nameOf(id.value())))
                .filter(named -> named.id.equals(id.value()))
                .map(this::toGroup);
    }

    /** Deletes a group with all its members (R80). */
    public void delete(GroupSnapshotId id) {
        groups.values().removeIf(named -> named.id.equals(id.value()));
    }

    /** The names of all snapshots and groups. */
    public List<String> names() {
        return Stream.of(snapshots.keySet(), groups.keySet())
                .flatMap(Set::stream)
                .toList();
    }
}
