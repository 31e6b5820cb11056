package io.csi4j.admin.internal.api;

import io.csi4j.admin.internal.json.Shape;
import io.csi4j.core.csi.GroupSnapshotId;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.GroupSnapshotRequest;
import io.csi4j.core.lifecycle.SnapshotRequest;
import java.util.List;

/** The actions that make and delete snapshots. */
public final class SnapshotActions {
    private static final String NEEDS = "PLUGIN_READ; VOLUME_WRITE in the namespace of each volume";
    private static final String OF_UNKNOWN = "; MANAGEMENT if the volume is not registered";
    private static final String NOT_STORED =
            "The engine does not store snapshots. A call in flight may still make the snapshot; the same request with the"
                    + " same name finds it.";

    private static final Parameter NAME = Parameter.body(
                    "name",
                    Parameter.Type.TEXT,
                    "Your name for it: a request with the same name answers with the same snapshot.")
            .needed();
    private static final Parameter PARAMETERS =
            Parameter.body("parameters", Parameter.Type.MAP, "Parameters that only the plugin interprets; not shown.");

    private static final Shape<Snapshot> SNAPSHOT = Shape.<Snapshot>of("MadeSnapshot", "A snapshot after an action.")
            .text(
                    "snapshotId",
                    "The provider's id.",
                    snapshot -> snapshot.snapshotId().value())
            .column("SNAPSHOT")
            .text(
                    "sourceVolumeId",
                    "The provider's id of the volume.",
                    snapshot -> snapshot.sourceVolumeId().value())
            .column("VOLUME")
            .number(
                    "sizeBytes",
                    "The smallest size of a volume that is restored from it; 0 if not known.",
                    Snapshot::sizeBytes)
            .column("SIZE")
            .time("creationTime", "The time at which it was made.", Snapshot::creationTime)
            .optional()
            .column("CREATED")
            .flag("readyToUse", "Whether a volume can be restored from it.", Snapshot::readyToUse)
            .column("READY")
            .text(
                    "groupSnapshotId",
                    "The group snapshot that has it.",
                    snapshot -> snapshot.groupSnapshotId().map(GroupSnapshotId::value))
            .optional()
            .build();

    private static final Shape<VolumeGroupSnapshot> GROUP = Shape.<VolumeGroupSnapshot>of(
                    "MadeGroupSnapshot", "A group snapshot after an action.")
            .text(
                    "groupSnapshotId",
                    "The provider's id.",
                    group -> group.groupSnapshotId().value())
            .column("GROUP")
            .time("creationTime", "The time at which it was made.", VolumeGroupSnapshot::creationTime)
            .optional()
            .column("CREATED")
            .flag("readyToUse", "Whether all its snapshots can be restored.", VolumeGroupSnapshot::readyToUse)
            .column("READY")
            .objects("snapshots", "Its snapshots.", SNAPSHOT, VolumeGroupSnapshot::snapshots)
            .build();

    private SnapshotActions() {}

    /** Returns the endpoints. */
    public static List<Endpoint> all() {
        return List.of(create(), delete(), createGroup(), deleteGroup());
    }

    private static Endpoint create() {
        return Endpoint.post("snapshot create", VolumeActions.PATH + "/snapshots", "Make a snapshot of a volume")
                .description("The operation ends when the snapshot is ready to use.")
                .with(
                        ActionFields.NAMESPACE,
                        ActionFields.VOLUME,
                        NAME,
                        PARAMETERS,
                        ActionFields.accessibilityRequirements(),
                        ActionFields.SECRETS)
                .needs(NEEDS)
                .continues(NOT_STORED)
                .action(SNAPSHOT, call -> {
                    VolumeKey key = ActionFields.volume(call.values());
                    SnapshotRequest request = ActionFields.valid(
                            "name",
                            () -> new SnapshotRequest(
                                    key,
                                    call.values().text("name"),
                                    call.values().map("parameters"),
                                    ActionFields.accessibilityRequirements(call.values())));
                    return ActionFields.withSecrets(call).snapshots().create(request);
                });
    }

    private static Endpoint delete() {
        return Endpoint.delete("snapshot delete", "/v1/plugins/{plugin}/snapshots/{snapshotId}", "Delete a snapshot")
                .description("Has no effect if the provider does not have the snapshot.")
                .with(
                        ActionFields.PLUGIN,
                        Parameter.path("snapshotId", "The provider's id of the snapshot."),
                        ActionFields.SECRETS)
                .needs(NEEDS + OF_UNKNOWN)
                .destroys()
                .continues("A call in flight may still delete the snapshot.")
                .action(call -> ActionFields.withSecrets(call)
                        .snapshots()
                        .delete(
                                ActionFields.plugin(call.values()),
                                call.values().parsed("snapshotId", SnapshotId::of)));
    }

    private static Endpoint createGroup() {
        return Endpoint.post("group-snapshot create", "/v1/group-snapshots", "Make snapshots of volumes at one time")
                .description("The volumes are of one plugin. The operation ends when all snapshots are ready to use.")
                .with(
                        NAME,
                        Parameter.body("volumes", Parameter.Type.TEXTS, "The volumes, each as namespace/volume.")
                                .needed(),
                        PARAMETERS,
                        ActionFields.SECRETS)
                .needs(NEEDS)
                .continues(NOT_STORED)
                .action(GROUP, call -> {
                    List<VolumeKey> volumes = call.values().parsedTexts("volumes", VolumeKey::parse);
                    GroupSnapshotRequest request = ActionFields.valid(
                            "volumes",
                            () -> new GroupSnapshotRequest(
                                    call.values().text("name"),
                                    volumes,
                                    call.values().map("parameters")));
                    return ActionFields.withSecrets(call).snapshots().createGroup(request);
                });
    }

    private static Endpoint deleteGroup() {
        return Endpoint.delete(
                        "group-snapshot delete",
                        "/v1/plugins/{plugin}/group-snapshots/{groupSnapshotId}",
                        "Delete a group snapshot with all its snapshots")
                .description("Has no effect if the provider does not have the group.")
                .with(
                        ActionFields.PLUGIN,
                        Parameter.path("groupSnapshotId", "The provider's id of the group."),
                        Parameter.query("member", Parameter.Type.TEXTS, "The provider's id of each of its snapshots.")
                                .needed(),
                        ActionFields.SECRETS)
                .needs(NEEDS + OF_UNKNOWN)
                .destroys()
                .continues("A call in flight may still delete the group.")
                .action(call -> ActionFields.withSecrets(call)
                        .snapshots()
                        .deleteGroup(
                                ActionFields.plugin(call.values()),
                                call.values().parsed("groupSnapshotId", GroupSnapshotId::of),
                                call.values().parsedTexts("member", SnapshotId::of)));
    }
}
