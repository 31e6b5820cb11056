package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import java.util.List;

/** The reads of snapshots. */
public final class SnapshotEndpoints {
    /** A snapshot. */
    static final Shape<Snapshot> SNAPSHOT = Shape.<Snapshot>of("Snapshot", "A snapshot of a volume.")
            .text("snapshotId", "The storage provider's id.", Snapshot::snapshotId)
            .column()
            .text("sourceVolumeId", "The volume, by the storage provider's id.", Snapshot::sourceVolumeId)
            .column()
            .number(
                    "sizeBytes",
                    "The smallest size of a restored volume in bytes; 0 if not known.",
                    Snapshot::sizeBytes)
            .column("SIZE")
            .time("creationTime", "The time at which it was made.", Snapshot::creationTime)
            .optional()
            .column("CREATED")
            .flag("readyToUse", "Whether a volume can be restored from it.", Snapshot::readyToUse)
            .column("READY")
            .text("groupSnapshotId", "The group that contains it.", Snapshot::groupSnapshotId)
            .optional()
            .column("GROUP")
            .objects(
                    "accessibleTopology",
                    "The places that can reach it; none if not reported.",
                    Shapes.TOPOLOGY,
                    Snapshot::accessibleTopology)
            .build();

    /** A group of snapshots. */
    static final Shape<VolumeGroupSnapshot> GROUP = Shape.<VolumeGroupSnapshot>of(
                    "GroupSnapshot", "Snapshots of several volumes at the same time.")
            .text("groupSnapshotId", "The storage provider's id.", VolumeGroupSnapshot::groupSnapshotId)
            .time("creationTime", "The time at which it was made.", VolumeGroupSnapshot::creationTime)
            .optional()
            .flag("readyToUse", "Whether all its snapshots can be restored.", VolumeGroupSnapshot::readyToUse)
            .objects("snapshots", "Its snapshots.", SNAPSHOT, VolumeGroupSnapshot::snapshots)
            .build();

    private static final String NEEDS =
            "PLUGIN_READ, and VOLUME_READ in the namespace of the source volume; an unknown volume needs MANAGEMENT";
    private static final String ASKS =
            "Snapshots are not in the state: the plugin is asked, and there is no waiting for changes.";

    private SnapshotEndpoints() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        String snapshots = "/v1/plugins/{plugin}/snapshots";
        return List.of(
                Endpoint.get("snapshot list", snapshots, "List the snapshots of a plugin")
                        .description(ASKS)
                        .with(
                                Filters.PLUGIN,
                                Filters.text("source", "Only snapshots of this volume, by the storage provider's id."))
                        .needs(NEEDS)
                        .pages(
                                SNAPSHOT,
                                (call, after, limit) -> call.operations()
                                        .snapshots()
                                        .list(
                                                Filters.plugin(call),
                                                call.values().maybe("source", ExternalVolumeId::of),
                                                limit,
                                                after.orElse(""))
                                        .thenApply(PluginEndpoints::page)),
                Endpoint.get("snapshot status", snapshots + "/{snapshotId}", "Show a snapshot")
                        .description(ASKS)
                        .with(
                                Filters.PLUGIN,
                                Parameter.path("snapshotId", "The storage provider's id of the snapshot."))
                        .needs(NEEDS)
                        .one(
                                SNAPSHOT,
                                call -> call.operations()
                                        .snapshots()
                                        .get(Filters.plugin(call), call.values().parsed("snapshotId", SnapshotId::of))),
                Endpoint.get(
                                "group-snapshot status",
                                "/v1/plugins/{plugin}/group-snapshots/{groupSnapshotId}",
                                "Show a group snapshot")
                        .description(ASKS)
                        .with(
                                Filters.PLUGIN,
                                Parameter.path("groupSnapshotId", "The storage provider's id of the group."),
                                Parameter.query(
                                                "member",
                                                Parameter.Type.TEXTS,
                                                "A snapshot of the group; repeated for each of them.")
                                        .needed())
                        .needs(NEEDS)
                        .one(
                                GROUP,
                                call -> call.operations()
                                        .snapshots()
                                        .getGroup(
                                                Filters.plugin(call),
                                                call.values().parsed("groupSnapshotId", GroupSnapshotId::of),
                                                call.values().parsedTexts("member", SnapshotId::of))));
    }
}
