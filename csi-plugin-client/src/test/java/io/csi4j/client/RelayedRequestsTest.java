package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Problem;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.RpcService;
import io.csi4j.proto.csi.v1.CapacityRange;
import io.csi4j.proto.csi.v1.ControllerExpandVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerUnpublishVolumeRequest;
import io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotRequest;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.DeleteVolumeGroupSnapshotRequest;
import io.csi4j.proto.csi.v1.DeleteVolumeRequest;
import io.csi4j.proto.csi.v1.GetCapacityRequest;
import io.csi4j.proto.csi.v1.ListSnapshotsRequest;
import io.csi4j.proto.csi.v1.ListVolumesRequest;
import io.csi4j.proto.csi.v1.Topology;
import io.csi4j.proto.csi.v1.TopologyRequirement;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode;
import io.csi4j.proto.csi.v1.VolumeCapability.BlockVolume;
import io.csi4j.proto.csi.v1.VolumeCapability.MountVolume;
import io.csi4j.proto.csi.v1.VolumeContentSource;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The rules R16 to R25 for requests that arrive as encoded messages. */
class RelayedRequestsTest {
    private static final String CANARY = "canary-4711";
    private static final UnknownFieldSet NEWER = UnknownFieldSet.newBuilder()
            .addField(
                    900,
                    UnknownFieldSet.Field.newBuilder()
                            .addLengthDelimited(ByteString.copyFromUtf8("news"))
                            .build())
            .build();
    private static final VolumeCapability BLOCK = VolumeCapability.newBuilder()
            .setBlock(BlockVolume.getDefaultInstance())
            .setAccessMode(AccessMode.newBuilder().setMode(AccessMode.Mode.SINGLE_NODE_WRITER))
            .build();

    static Stream<Rpc> relayed() {
        return Stream.of(Rpc.values())
                .filter(rpc -> rpc.service() == RpcService.CONTROLLER
                        || rpc.service() == RpcService.GROUP_CONTROLLER
                        || rpc.service() == RpcService.SNAPSHOT_METADATA);
    }

    /** Each field of a request is decoded, so that each field is checked. */
    @ParameterizedTest
    @MethodSource("relayed")
    void decodedRequestEqualsOriginalRequest(Rpc rpc) {
        for (int variant = 1; variant <= 4; variant++) {
            Message message = Filled.message(rpc.csiName() + "Request", variant);
            RelayedCall call = RelayedCall.of(rpc, message.toByteArray());
            assertThat(call.request()).isEqualTo(FilledRequests.of(rpc, variant));
            assertThat(call.call().request()).isEqualTo(message);
        }
    }

    private static List<Problem> problems(Rpc rpc, Message.Builder request) {
        CsiRequestException refused = catchThrowableOfType(
                CsiRequestException.class,
                () -> RelayedCall.of(rpc, request.build().toByteArray()));
        if (refused == null) {
            return List.of();
        }
        assertThat(refused).hasMessageStartingWith(rpc.csiName() + "Request was refused, nothing was sent: ");
        assertThat(refused).hasMessageNotContaining(CANARY);
        assertThat(refused.problems())
                .allSatisfy(problem -> assertThat(problem.remedy()).isNotBlank());
        return refused.problems();
    }

    private static List<String> fields(Rpc rpc, Message.Builder request) {
        return problems(rpc, request).stream().map(Problem::field).toList();
    }

    @Test
    void allProblemsAreReportedTogether() {
        assertThat(fields(
                        Rpc.CREATE_VOLUME,
                        CreateVolumeRequest.newBuilder()
                                .setName("a\u0007b")
                                .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(-1))
                                .addVolumeCapabilities(BLOCK)
                                .addVolumeCapabilities(VolumeCapability.newBuilder()
                                        .setMount(MountVolume.newBuilder().addMountFlags("f".repeat(4097))))
                                .addVolumeCapabilities(BLOCK.toBuilder().clearAccessType())
                                .putParameters("k", "v".repeat(4096))
                                .putSecrets("a b", CANARY)
                                .setVolumeContentSource(VolumeContentSource.getDefaultInstance())
                                .setAccessibilityRequirements(TopologyRequirement.newBuilder()
                                        .addRequisite(Topology.newBuilder().putSegments("[0]", "v")))))
                .containsExactlyInAnyOrder(
                        "name",
                        "capacityRange.requiredBytes",
                        "volumeCapabilities[1].accessMode",
                        "volumeCapabilities[1].mountVolume.mountFlags",
                        "volumeCapabilities[2].accessType",
                        "parameters",
                        "secrets",
                        "volumeContentSource",
                        "accessibilityRequirements.requisite[0]");
    }

    @Test
    void missingRequiredFieldIsReported() {
        assertThat(problems(Rpc.DELETE_VOLUME, DeleteVolumeRequest.newBuilder()))
                .containsExactly(
                        new Problem("volumeId", "is empty", "give the id that the storage provider made (R22)"));
        assertThat(fields(Rpc.CONTROLLER_PUBLISH_VOLUME, ControllerPublishVolumeRequest.newBuilder()))
                .containsExactly("volumeId", "nodeId", "volumeCapability");
        assertThat(fields(Rpc.CREATE_VOLUME, CreateVolumeRequest.newBuilder()))
                .containsExactly("name", "volumeCapabilities");
        assertThat(fields(
                        Rpc.CREATE_VOLUME,
                        CreateVolumeRequest.newBuilder()
                                .setName("v")
                                .addVolumeCapabilities(BLOCK)
                                .setVolumeContentSource(VolumeContentSource.newBuilder()
                                        .setSnapshot(VolumeContentSource.SnapshotSource.getDefaultInstance()))))
                .containsExactly("volumeContentSource.snapshotId");
        assertThat(fields(
                        Rpc.CONTROLLER_EXPAND_VOLUME,
                        ControllerExpandVolumeRequest.newBuilder().setVolumeId("v")))
                .containsExactly("capacityRange");
        assertThat(fields(
                        Rpc.CREATE_VOLUME_GROUP_SNAPSHOT,
                        CreateVolumeGroupSnapshotRequest.newBuilder()
                                .setName("g")
                                .addSourceVolumeIds("v")
                                .addSourceVolumeIds("")))
                .containsExactly("sourceVolumeIds[1]");
        assertThat(fields(Rpc.DELETE_VOLUME_GROUP_SNAPSHOT, DeleteVolumeGroupSnapshotRequest.newBuilder()))
                .containsExactly("groupSnapshotId", "snapshotIds");
    }

    @Test
    void capacityRangeWithoutPossibleSizeIsReported() {
        assertThat(fields(Rpc.LIST_VOLUMES, ListVolumesRequest.newBuilder().setMaxEntries(-1)))
                .containsExactly("maxEntries");
        assertThat(problems(Rpc.CONTROLLER_EXPAND_VOLUME, expanding(3, 2)))
                .containsExactly(new Problem(
                        "capacityRange.limitBytes",
                        "is 2, below the 3 of requiredBytes",
                        "raise the limit or lower what is required"));
        assertThat(fields(Rpc.CONTROLLER_EXPAND_VOLUME, expanding(0, 0))).containsExactly("capacityRange");
        assertThat(fields(Rpc.CONTROLLER_EXPAND_VOLUME, expanding(-1, -2)))
                .containsExactly("capacityRange.requiredBytes", "capacityRange.limitBytes");
        assertThat(fields(Rpc.CONTROLLER_EXPAND_VOLUME, expanding(3, 3))).isEmpty();
    }

    private static ControllerExpandVolumeRequest.Builder expanding(long required, long limit) {
        return ControllerExpandVolumeRequest.newBuilder()
                .setVolumeId("v")
                .setCapacityRange(
                        CapacityRange.newBuilder().setRequiredBytes(required).setLimitBytes(limit));
    }

    @Test
    void requestWithoutOptionalFieldsIsValid() {
        assertThat(fields(Rpc.LIST_SNAPSHOTS, ListSnapshotsRequest.newBuilder()))
                .isEmpty();
        assertThat(fields(Rpc.GET_CAPACITY, GetCapacityRequest.newBuilder())).isEmpty();
        // A missing node means all nodes (R66).
        assertThat(fields(
                        Rpc.CONTROLLER_UNPUBLISH_VOLUME,
                        ControllerUnpublishVolumeRequest.newBuilder().setVolumeId("v")))
                .isEmpty();
    }

    /** A request of a newer CSI version is not rejected because of unknown fields. */
    @Test
    void unknownFieldsFromNewerVersionAreAccepted() {
        assertThat(fields(
                        Rpc.CREATE_VOLUME,
                        CreateVolumeRequest.newBuilder()
                                .setName("v")
                                .setUnknownFields(NEWER)
                                .addVolumeCapabilities(BLOCK.toBuilder()
                                        .setAccessMode(AccessMode.newBuilder().setModeValue(99)))
                                .addVolumeCapabilities(
                                        BLOCK.toBuilder().clearAccessType().setUnknownFields(NEWER))
                                .setVolumeContentSource(
                                        VolumeContentSource.newBuilder().setUnknownFields(NEWER))))
                .isEmpty();
    }

    @Test
    void errorForInvalidRequestContainsRemedyAndHidesSecrets() {
        byte[] request = DeleteVolumeRequest.newBuilder()
                .setVolumeId("vol-1")
                .putSecrets("a b", CANARY)
                .build()
                .toByteArray();
        assertThatThrownBy(() -> RelayedCall.of(Rpc.DELETE_VOLUME, request))
                .isInstanceOf(CsiRequestException.class)
                .hasMessageContainingAll("DeleteVolumeRequest was refused", "secrets", "rename them (R25)")
                .hasMessageNotContaining(CANARY);
    }
}
