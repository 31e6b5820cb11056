package io.csi4j.simulation.internal.plugin;

import static io.csi4j.simulation.internal.world.PlacedWorld.AT;
import static io.csi4j.simulation.internal.world.PlacedWorld.MOUNT;
import static io.csi4j.simulation.internal.world.PlacedWorld.N1;
import static io.csi4j.simulation.internal.world.PlacedWorld.key;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Snapshot;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.csi.VolumeGroupSnapshot;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerModifyVolumeRequest;
import io.csi4j.core.rpc.ControllerPublishVolumeRequest;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.rpc.CreateSnapshotRequest;
import io.csi4j.core.rpc.CreateVolumeRequest;
import io.csi4j.core.rpc.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesRequest;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.PlacedWorld;
import io.csi4j.simulation.internal.world.SimDrift;
import io.csi4j.simulation.internal.world.SimNode;
import io.csi4j.simulation.internal.world.SimProvider;
import io.csi4j.simulation.internal.world.SimVolumes;
import io.csi4j.simulation.internal.world.SimWorld;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Each check of the simulated controller finds the wrong call that is made for it, and no other check reports it. */
class SimControllerTest {
    private final PlacedWorld placed = new PlacedWorld(VolumeExpansion.ONLINE);
    private ControllerService controller = controller(placed);

    private static ControllerService controller(PlacedWorld placed) {
        return simulated(placed).service();
    }

    private static SimController simulated(PlacedWorld placed) {
        SimProcess process = new SimProcess(placed.world.scheduler());
        return new SimController(placed.world, process, new CallsInFlight(placed.world), PlacedWorld.INSTANCE);
    }

    @AfterEach
    void close() {
        placed.close();
    }

    private static void start(CompletableFuture<?> call) {
        var unused = call.exceptionally(failure -> null);
    }

    private void publish(ExternalVolumeId volume, boolean readonly) {
        start(controller.controllerPublishVolume(ControllerPublishVolumeRequest.builder(
                        volume, placed.node.externalId, placed.use("v").capability())
                .readonly(readonly)
                .build()));
    }

    private void unpublish(ExternalVolumeId volume) {
        start(controller.controllerUnpublishVolume(
                ControllerUnpublishVolumeRequest.builder(volume, placed.node.externalId)
                        .build()));
    }

    /** Brings a volume so far that it is due to be unpublished. */
    private ExternalVolumeId unpublishing() {
        ExternalVolumeId volume = placed.claimed("v", "a");
        placed.attach("v");
        placed.ok(new AttachmentCommand.RecordPublished(key("v"), N1, PublishContext.empty(), AT));
        for (ClaimState state : List.of(ClaimState.UNPUBLISHING, ClaimState.NODE_DETACHED)) {
            placed.ok(new ClaimCommand.CheckpointClaim(key("v"), AllocationId.of("a"), state, AT));
        }
        placed.ok(new AttachmentCommand.RecordUnpublishing(key("v"), N1, AT));
        return volume;
    }

    @Test
    void findsNothingInCallsThatTheStateIntends() {
        publish(placed.claimed("v", "a"), false);
        placed.found();
    }

    @Test
    void findsCallForInlineVolume() {
        start(controller.validateVolumeCapabilities(ValidateVolumeCapabilitiesRequest.builder(
                        ExternalVolumeId.of("csi-1"), List.of(MOUNT.toVolumeCapability(MountOptions.none())))
                .build()));
        placed.found("I5: ValidateVolumeCapabilities of the inline volume csi-1");
    }

    @Test
    void findsPublishWithoutIntent() {
        start(controller.controllerPublishVolume(ControllerPublishVolumeRequest.builder(
                        placed.volume("v"), placed.node.externalId, MOUNT.toVolumeCapability(MountOptions.none()))
                .build()));
        placed.found("I5, I20: ControllerPublishVolume of vol-v on ext-n1 while the attachment is missing");
    }

    @Test
    void findsPublishWithGroup() {
        ExternalVolumeId volume = placed.claimed("v", "a");
        MountOptions grouped = new MountOptions("", MountFlags.empty(), "3000");
        start(controller.controllerPublishVolume(ControllerPublishVolumeRequest.builder(
                        volume, placed.node.externalId, MOUNT.toVolumeCapability(grouped))
                .build()));
        placed.found("R61: the group of a mount is sent to the controller with vol-v");
    }

    @Test
    void findsPublishWithOtherFieldsThanIntended() {
        ExternalVolumeId volume = placed.claimed("v", "a");
        SimProvider.Use use = placed.use("v");
        publish(volume, true);
        placed.found("R61: vol-v is published to ext-n1 as " + new SimProvider.Use(use.capability(), true)
                + " and the intent is " + use);
    }

    @Test
    void findsPublishOfVolumeThatIsAttachedInAnotherWay() {
        ExternalVolumeId volume = placed.claimed("v", "a");
        SimProvider.Use use = placed.use("v");
        SimProvider.Use other = new SimProvider.Use(use.capability(), true);
        placed.world.provider().attach(volume, placed.node.externalId, other);
        publish(volume, false);
        placed.found("R64: vol-v is published to ext-n1 as " + use + " while it is " + other + " there");
    }

    @Test
    void findsPublishOutOfReach() {
        ExternalVolumeId volume = placed.claimed("v", "a");
        placed.world
                .topology()
                .put(volume, Optional.of(TopologyRequirement.requisite(Topology.of("zone", "elsewhere"))));
        publish(volume, false);
        placed.found("R24: vol-v is published to n1, out of reach");
    }

    @Test
    void findsUnpublishFromAllNodes() {
        ExternalVolumeId volume = unpublishing();
        assertThatThrownBy(() -> start(controller.controllerUnpublishVolume(
                        ControllerUnpublishVolumeRequest.fromAllNodes(volume).build())))
                .isInstanceOf(RuntimeException.class);
        placed.found("R66: ControllerUnpublishVolume without a node means all nodes");
    }

    @Test
    void findsUnpublishFromNodeOfAnotherCluster() {
        ExternalVolumeId volume = placed.volume("v");
        placed.ok(new AttachmentCommand.RecordOrphan(
                key("v"),
                SimWorld.nodeId(SimDrift.FOREIGN_NODE),
                SimDrift.FOREIGN_NODE,
                placed.row("v").modifyIndex(),
                AT));
        placed.ok(new AttachmentCommand.RecordUnpublishing(key("v"), SimWorld.nodeId(SimDrift.FOREIGN_NODE), AT));
        start(controller.controllerUnpublishVolume(
                ControllerUnpublishVolumeRequest.builder(volume, SimDrift.FOREIGN_NODE)
                        .build()));
        placed.found("R71: vol-v is unpublished from a node of another cluster");
    }

    @Test
    void findsDetachOfMountedVolume() {
        ExternalVolumeId volume = unpublishing();
        placed.node.publish(new SimNode.Mount(key("v"), AllocationId.of("a")), AttachmentMode.MOUNT, "/publish/a");
        unpublish(volume);
        placed.found("I3: vol-v is detached from n1 while it is mounted there for a");
    }

    @Test
    void findsDetachOfStagedVolume() {
        ExternalVolumeId volume = unpublishing();
        placed.node.stage(key("v"));
        unpublish(volume);
        placed.found("I3: vol-v is detached from n1 while it is staged there");
    }

    @Test
    void findsCreationWithoutIntent() {
        start(controller.createVolume(
                CreateVolumeRequest.builder("new", List.of(MOUNT.toVolumeCapability(MountOptions.none())))
                        .build()));
        placed.found("I5: CreateVolume of new without an intent");
    }

    @Test
    void findsCreationInAnotherPlaceThanIntended() {
        VolumeSpec spec = VolumeSpec.builder(SimVolumes.ATTACHING)
                .requestedCapabilities(List.of(MOUNT))
                .build();
        placed.ok(new VolumeCommand.RegisterVolume(key("new"), spec, VolumeOrigin.CREATED, ProviderFacts.none(), AT));
        TopologyRequirement elsewhere = TopologyRequirement.requisite(Topology.of("zone", "elsewhere"));
        String name = placed.row("new").name();
        start(controller.createVolume(
                CreateVolumeRequest.builder(name, List.of(MOUNT.toVolumeCapability(MountOptions.none())))
                        .accessibilityRequirements(elsewhere)
                        .build()));
        placed.found("R53: CreateVolume of " + name + " asks for " + Optional.of(elsewhere)
                + ", and the intent is Optional.empty");
    }

    /** Calls CreateVolume for a volume that the state intends, with a size. */
    private void create(String name, long bytes) {
        start(controller.createVolume(
                CreateVolumeRequest.builder(name, List.of(MOUNT.toVolumeCapability(MountOptions.none())))
                        .capacityRange(CapacityRange.atLeast(bytes))
                        .build()));
    }

    @Test
    void findsRepeatedCreationWithOtherFields() {
        VolumeSpec spec = VolumeSpec.builder(SimVolumes.ATTACHING)
                .requestedCapabilities(List.of(MOUNT))
                .build();
        placed.ok(new VolumeCommand.RegisterVolume(key("new"), spec, VolumeOrigin.CREATED, ProviderFacts.none(), AT));
        String name = placed.row("new").name();
        create(name, 1);
        placed.found();
        create(name, 1);
        placed.found();
        create(name, 2);
        List<Object> fields = List.of(
                List.of(MOUNT.toVolumeCapability(MountOptions.none())),
                Optional.of(CapacityRange.atLeast(2)),
                Map.of(),
                Optional.empty(),
                Optional.empty(),
                Map.of());
        List<Object> before = new ArrayList<>(fields);
        before.set(1, Optional.of(CapacityRange.atLeast(1)));
        placed.found(
                "I24, R29: CreateVolume of " + name + " is repeated with other fields: " + fields + " after " + before);
    }

    @Test
    void findsRepeatedSnapshotWithOtherFields() {
        start(controller.createSnapshot(
                CreateSnapshotRequest.builder(placed.volume("v"), "s").build()));
        placed.found();
        start(controller.createSnapshot(
                CreateSnapshotRequest.builder(placed.volume("w"), "s").build()));
        placed.found(
                "I24, R29: CreateSnapshot of s is repeated with other fields: [vol-w, {}, Optional.empty] after [vol-v,"
                        + " {}, Optional.empty]");
    }

    @Test
    void capacityIsThatOfZone() {
        Topology zone = Topology.of("sim.example.com/zone", "z1");
        placed.world.topology().setCapacity(zone, 5);
        CompletableFuture<Long> available = controller
                .getCapacity(
                        GetCapacityRequest.builder().accessibleTopology(zone).build())
                .thenApply(GetCapacityResponse::availableCapacity);
        placed.found();
        assertThat(available).isCompletedWithValue(5L);
    }

    @Test
    void findsDeletionWithoutIntent() {
        start(controller.deleteVolume(
                DeleteVolumeRequest.builder(placed.volume("v")).build()));
        placed.found("I5: DeleteVolume of vol-v without an intent");
    }

    @Test
    void findsDeletionOfAttachedVolume() {
        ExternalVolumeId volume = placed.volume("v");
        placed.world
                .provider()
                .attach(
                        volume,
                        placed.node.externalId,
                        new SimProvider.Use(MOUNT.toVolumeCapability(MountOptions.none()), false));
        placed.ok(new VolumeCommand.SetVolumePhase(key("v"), VolumePhase.DELETING, 0, AT));
        start(controller.deleteVolume(DeleteVolumeRequest.builder(volume).build()));
        placed.found("R59: vol-v is deleted while it is attached to n1");
    }

    @Test
    void findsExpansionWithoutRequest() {
        start(controller.controllerExpandVolume(
                ControllerExpandVolumeRequest.builder(placed.volume("v"), CapacityRange.atLeast(1))
                        .build()));
        placed.found("I5: ControllerExpandVolume of vol-v without a requested change");
    }

    @Test
    void findsExpansionOfVolumeInUseThatIsExpandedOfflineOnly() {
        try (PlacedWorld offline = new PlacedWorld(VolumeExpansion.OFFLINE)) {
            ExternalVolumeId volume = offline.claimed("v", "a");
            offline.ok(new ChangeCommand.BeginExpansion(key("v"), CapacityRange.atLeast(1), AT));
            start(controller(offline)
                    .controllerExpandVolume(ControllerExpandVolumeRequest.builder(volume, CapacityRange.atLeast(1))
                            .build()));
            offline.found("R82: vol-v is expanded while it is in use");
        }
    }

    @Test
    void findsModificationWithoutRequest() {
        start(controller.controllerModifyVolume(
                ControllerModifyVolumeRequest.builder(placed.volume("v"), Map.of("tier", "fast"))
                        .build()));
        placed.found("I5: ControllerModifyVolume of vol-v without a requested change");
    }

    @Test
    void findsDeletionOfGroupWithoutMember() {
        VolumeGroupSnapshot group =
                placed.world.providerSnapshots().group("g", List.of(placed.volume("v"), placed.volume("w")));
        List<SnapshotId> members =
                group.snapshots().stream().map(Snapshot::snapshotId).toList();
        start(simulated(placed)
                .groupService()
                .deleteVolumeGroupSnapshot(
                        DeleteVolumeGroupSnapshotRequest.builder(group.groupSnapshotId(), members.subList(0, 1))
                                .build()));
        placed.found("R100: group " + group.groupSnapshotId() + " is deleted with members " + members.subList(0, 1)
                + ", and has " + members);
    }
}
