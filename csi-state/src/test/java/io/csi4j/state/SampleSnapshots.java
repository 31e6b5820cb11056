package io.csi4j.state;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.SnapshotCommand;
import io.csi4j.core.snapshot.SnapshotContent;
import io.csi4j.core.snapshot.SnapshotPhase;
import io.csi4j.core.snapshot.SnapshotSpec;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** Snapshots that use each field, and the commands about them. */
final class SampleSnapshots {
    static final SnapshotKey KEY = SnapshotKey.of("team-a", "nightly");
    private static final Instant AT = Instant.parse("2024-03-01T00:00:00.123456789Z");

    private SampleSnapshots() {}

    static SnapshotSpec spec() {
        return new SnapshotSpec(
                VolumeKey.of("default", "full"),
                7,
                PluginId.of("p1"),
                ExternalVolumeId.of("vol-1"),
                "snapshot-00ff",
                Map.of("tier", "clear-text"));
    }

    static Snapshot provided() {
        return Snapshot.builder(SnapshotId.of("s-1"), ExternalVolumeId.of("vol-1"))
                .sizeBytes(4096)
                .creationTime(AT)
                .readyToUse(true)
                .groupSnapshotId(GroupSnapshotId.of("g-1"))
                .accessibleTopology(List.of(Topology.of(Map.of("zone", "z1"))))
                .build();
    }

    static VolumeSnapshot row() {
        return new VolumeSnapshot(
                KEY,
                spec(),
                SnapshotPhase.DELETING,
                true,
                Optional.of(provided()),
                SnapshotContent.UNKNOWN,
                Retry.of(2, "UNAVAILABLE", AT),
                40,
                41,
                AT);
    }

    /** Returns a row of each phase; those after the first one have no parameters, and need no cipher. */
    static List<VolumeSnapshot> rows() {
        SnapshotSpec plain = new SnapshotSpec(
                VolumeKey.of("default", "full"),
                7,
                PluginId.of("p1"),
                ExternalVolumeId.of("vol-1"),
                "snapshot-01",
                Map.of());
        VolumeSnapshot creating = VolumeSnapshot.creating(
                        SnapshotKey.of("default", "creating"), plain, SnapshotContent.UNKNOWN, 42, AT)
                .begun(43);
        VolumeSnapshot ready = VolumeSnapshot.creating(
                        SnapshotKey.of("default", "ready"), plain, SnapshotContent.UNKNOWN, 44, AT)
                .described(provided(), 45);
        VolumeSnapshot failed = VolumeSnapshot.creating(
                        SnapshotKey.of("default", "failed"), plain, SnapshotContent.UNKNOWN, 46, AT)
                .failed(new Attempt("INVALID_ARGUMENT", Optional.empty()), 47);
        VolumeSnapshot leaked = VolumeSnapshot.creating(
                        SnapshotKey.of("default", "leaked"), plain, SnapshotContent.UNKNOWN, 48, AT)
                .begun(49)
                .failed(new Attempt("INVALID_ARGUMENT", Optional.empty()), 50);
        return List.of(row(), creating, ready, failed, leaked);
    }

    /** Returns a row with what a restored volume needs. */
    static VolumeSnapshot measured() {
        VolumeSnapshot ready = rows().get(2);
        SnapshotContent content = new SnapshotContent(8192, Set.of(AttachmentMode.MOUNT, AttachmentMode.BLOCK));
        return VolumeSnapshot.creating(SnapshotKey.of("default", "measured"), ready.spec(), content, 51, AT)
                .described(provided(), 52);
    }

    /** Returns a volume that is made from the snapshot {@link #measured()}. */
    static Volume restored() {
        VolumeSnapshot source = measured();
        return Volume.builder(
                        VolumeKey.of("default", "from-snapshot"),
                        VolumeSpec.builder(PluginId.of("p1"))
                                .name("restored")
                                .requestedCapabilities(
                                        List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                                .sourceSnapshot(source.key())
                                .contentSource(VolumeContentSource.snapshot(
                                        source.snapshotId().orElseThrow()))
                                .build(),
                        53,
                        AT)
                .origin(VolumeOrigin.CREATED)
                .phase(VolumePhase.CREATING)
                .build();
    }

    /** Returns a template that names a snapshot. */
    static VolumeTemplate template() {
        return VolumeTemplate.builder(VolumeClassName.of("fast"))
                .sourceSnapshot(measured().key())
                .build();
    }

    static List<SnapshotCommand> commands() {
        return List.of(
                new SnapshotCommand.CreateSnapshot(KEY, spec(), AT),
                new SnapshotCommand.BeginSnapshot(KEY, 40, AT),
                new SnapshotCommand.RecordSnapshot(KEY, 40, provided(), AT),
                new SnapshotCommand.RecordSnapshotError(KEY, 40, true, Attempt.failed("UNAVAILABLE", AT), AT),
                new SnapshotCommand.DeleteSnapshot(KEY, 40, AT),
                new SnapshotCommand.RemoveSnapshot(KEY, 40, AT),
                new SnapshotCommand.ForgetSnapshot(KEY, 40, new OperatorOverride("ann", "array replaced", AT)));
    }
}
