package io.csi4j.client;

import io.csi4j.core.csi.BlockMetadata;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.ExternalVolumeStatus;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.csi.VolumeHealth;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.csi.VolumeHealthStatus;
import io.csi4j.core.csi.WireEnum;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The typed values that equal the parts of the messages of {@link Filled} at a path, written by hand. */
record FilledValues(int variant) {
    static ExternalVolumeId volumeId(String path) {
        return ExternalVolumeId.of(Filled.text(path));
    }

    static SnapshotId snapshotId(String path) {
        return SnapshotId.of(Filled.text(path));
    }

    static GroupSnapshotId groupSnapshotId(String path) {
        return GroupSnapshotId.of(Filled.text(path));
    }

    static ExternalNodeId nodeId(String path) {
        return ExternalNodeId.of(Filled.text(path));
    }

    static CapacityRange range(String path) {
        return new CapacityRange(Filled.number(path + ".required_bytes"), Filled.number(path + ".limit_bytes"));
    }

    static Topology topology(String path) {
        return new Topology(Filled.map(path + ".segments"));
    }

    static List<Topology> topologies(String path) {
        return List.of(topology(path + "[0]"), topology(path + "[1]"));
    }

    static TopologyRequirement requirement(String path) {
        return new TopologyRequirement(topologies(path + ".requisite"), List.of(topology(path + ".requisite[1]")));
    }

    /** Returns the capability at a path. {@code index} is the position in the innermost list, or 0 outside of a list. */
    VolumeCapability capability(String path, int index) {
        VolumeAccessMode mode = named(VolumeAccessMode.values(), path + ".access_mode.mode", index);
        if ((variant + index) % 2 == 0) {
            return VolumeCapability.block(mode);
        }
        return VolumeCapability.mount(
                mode,
                MountVolume.builder()
                        .fsType(path + ".mount.fs_type")
                        .mountFlags(MountFlags.of(path + ".mount.mount_flags[0]", path + ".mount.mount_flags[1]"))
                        .volumeMountGroup(path + ".mount.volume_mount_group")
                        .build());
    }

    List<VolumeCapability> capabilities(String path) {
        return List.of(capability(path + "[0]", 0), capability(path + "[1]", 1));
    }

    VolumeContentSource source(String path, int index) {
        return (variant + index) % 2 == 0
                ? VolumeContentSource.snapshot(snapshotId(path + ".snapshot.snapshot_id"))
                : VolumeContentSource.volume(volumeId(path + ".volume.volume_id"));
    }

    ExternalVolume volume(String path, int index) {
        return ExternalVolume.builder(volumeId(path + ".volume_id"))
                .capacityBytes(Filled.number(path + ".capacity_bytes"))
                .volumeContext(VolumeContext.of(Filled.map(path + ".volume_context")))
                .contentSource(source(path + ".content_source", index))
                .accessibleTopology(topologies(path + ".accessible_topology"))
                .build();
    }

    static ExternalVolumeStatus status(String path) {
        return new ExternalVolumeStatus(
                List.of(nodeId(path + ".published_node_ids[0]"), nodeId(path + ".published_node_ids[1]")),
                Optional.of(condition(path + ".volume_condition")));
    }

    static VolumeCondition condition(String path) {
        return new VolumeCondition(true, path + ".message");
    }

    static Snapshot snapshot(String path) {
        return Snapshot.builder(snapshotId(path + ".snapshot_id"), volumeId(path + ".source_volume_id"))
                .sizeBytes(Filled.number(path + ".size_bytes"))
                .creationTime(time(path + ".creation_time"))
                .readyToUse(true)
                .groupSnapshotId(groupSnapshotId(path + ".group_snapshot_id"))
                .accessibleTopology(topologies(path + ".accessible_topology"))
                .build();
    }

    static VolumeGroupSnapshot group(String path) {
        return VolumeGroupSnapshot.builder(groupSnapshotId(path + ".group_snapshot_id"))
                .snapshots(List.of(snapshot(path + ".snapshots[0]"), snapshot(path + ".snapshots[1]")))
                .creationTime(time(path + ".creation_time"))
                .readyToUse(true)
                .build();
    }

    static Instant time(String path) {
        return Instant.ofEpochSecond(Filled.number(path + ".seconds"), Filled.number(path + ".nanos"));
    }

    static VolumeHealth health(String path) {
        return new VolumeHealth(
                volumeId(path + ".volume_id"),
                Stream.of(0, 1)
                        .map(i -> entry(path + ".health_statuses[" + i + "]", i))
                        .toList());
    }

    private static VolumeHealthEntry entry(String path, int index) {
        VolumeHealthStatus status = named(VolumeHealthStatus.values(), path + ".status", index);
        return new VolumeHealthEntry(status, status.number(), path + ".reason", path + ".message");
    }

    static List<BlockMetadata> ranges(String path) {
        return Stream.of(0, 1)
                .map(i -> path + "[" + i + "]")
                .map(at -> new BlockMetadata(Filled.number(at + ".byte_offset"), Filled.number(at + ".size_bytes")))
                .toList();
    }

    /** Returns the enum value at a path, for an enum whose first value means unknown. */
    static <E extends WireEnum> E named(E[] values, String path, int index) {
        return values[Filled.enumNumber(path, index, values.length)];
    }

    /** Returns the enum numbers of two neighbours; {@code values} counts all values including the unknown one. */
    static List<Integer> numbers(String path, String below, int values) {
        return Stream.of(0, 1)
                .map(i -> Filled.enumNumber(path + "[" + i + "]" + below, i, values))
                .toList();
    }
}
