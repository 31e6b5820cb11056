package io.csi4j.simulation;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The snapshots that the provider has: cut at once under a name, and ready to use after a while. */
final class SimCuts {
    private static final Duration READY = Duration.ofMinutes(1);

    /** One name: a snapshot, or a group of them. */
    private record Cut(String id, List<ExternalVolumeId> sources, Duration readyAt) {}

    private final SimScheduler scheduler;
    private final Map<String, Cut> snapshots = new TreeMap<>();
    private final Map<String, Cut> groups = new TreeMap<>();
    private long number;

    SimCuts(SimScheduler scheduler) {
        this.scheduler = scheduler;
    }

    private Cut cut(Map<String, Cut> kind, String name, List<ExternalVolumeId> sources) {
        return kind.computeIfAbsent(
                name,
                key -> new Cut(
                        key + "#" + ++number, sources, scheduler.elapsed().plus(scheduler.upTo(READY))));
    }

    private boolean ready(Cut cut) {
        return scheduler.elapsed().compareTo(cut.readyAt) >= 0;
    }

    /** What has that id goes by this name. */
    static String nameOf(String id) {
        return id.substring(0, Math.max(0, id.lastIndexOf('#')));
    }

    /** The one of that name, cut now if there is none (R76). */
    Snapshot snapshot(String name, ExternalVolumeId source) {
        return shown(cut(snapshots, name, List.of(source)));
    }

    private Snapshot shown(Cut cut) {
        return Snapshot.builder(SnapshotId.of(cut.id), cut.sources.get(0))
                .readyToUse(ready(cut))
                .build();
    }

    /** The one that has that id. */
    Optional<Snapshot> find(SnapshotId id) {
        return Optional.ofNullable(snapshots.get(nameOf(id.value())))
                .filter(cut -> cut.id.equals(id.value()))
                .map(this::shown);
    }

    void delete(SnapshotId id) {
        snapshots.values().removeIf(cut -> cut.id.equals(id.value()));
    }

    /** The group of that name, cut now if there is none. */
    VolumeGroupSnapshot group(String name, List<ExternalVolumeId> sources) {
        return shownGroup(cut(groups, name, sources));
    }

    private VolumeGroupSnapshot shownGroup(Cut cut) {
        GroupSnapshotId group = GroupSnapshotId.of(cut.id);
        return VolumeGroupSnapshot.builder(group)
                .readyToUse(ready(cut))
                .snapshots(cut.sources.stream()
                        .map(source -> Snapshot.builder(SnapshotId.of(cut.id + "/" + source.value()), source)
                                .groupSnapshotId(group)
                                .readyToUse(ready(cut))
                                .build())
                        .toList())
                .build();
    }

    Optional<VolumeGroupSnapshot> find(GroupSnapshotId id) {
        return Optional.ofNullable(groups.get(nameOf(id.value())))
                .filter(cut -> cut.id.equals(id.value()))
                .map(this::shownGroup);
    }

    /** With all its members (R80). */
    void delete(GroupSnapshotId id) {
        groups.values().removeIf(cut -> cut.id.equals(id.value()));
    }

    /** What there is. */
    List<String> all() {
        return Stream.of(snapshots.keySet(), groups.keySet())
                .flatMap(Set::stream)
                .toList();
    }
}
