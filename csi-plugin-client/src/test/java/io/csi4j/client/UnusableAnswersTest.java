package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Int64Value;
import com.google.protobuf.Message;
import com.google.protobuf.Timestamp;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.rpc.NodeExpandVolumeRequest;
import io.csi4j.proto.csi.v1.BlockMetadata;
import io.csi4j.proto.csi.v1.ControllerExpandVolumeResponse;
import io.csi4j.proto.csi.v1.ControllerGetVolumeHealthResponse;
import io.csi4j.proto.csi.v1.ControllerGetVolumeResponse;
import io.csi4j.proto.csi.v1.ControllerListVolumeHealthResponse;
import io.csi4j.proto.csi.v1.CreateSnapshotResponse;
import io.csi4j.proto.csi.v1.CreateVolumeGroupSnapshotResponse;
import io.csi4j.proto.csi.v1.CreateVolumeResponse;
import io.csi4j.proto.csi.v1.GetCapacityResponse;
import io.csi4j.proto.csi.v1.GetMetadataAllocatedResponse;
import io.csi4j.proto.csi.v1.GetMetadataDeltaResponse;
import io.csi4j.proto.csi.v1.GetPluginInfoResponse;
import io.csi4j.proto.csi.v1.GetSnapshotResponse;
import io.csi4j.proto.csi.v1.GetVolumeGroupSnapshotResponse;
import io.csi4j.proto.csi.v1.ListSnapshotsResponse;
import io.csi4j.proto.csi.v1.ListVolumesResponse;
import io.csi4j.proto.csi.v1.NodeExpandVolumeResponse;
import io.csi4j.proto.csi.v1.NodeGetInfoResponse;
import io.csi4j.proto.csi.v1.NodeGetVolumeStatsResponse;
import io.csi4j.proto.csi.v1.Snapshot;
import io.csi4j.proto.csi.v1.Topology;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.proto.csi.v1.VolumeGroupSnapshot;
import io.csi4j.proto.csi.v1.VolumeHealth;
import io.csi4j.proto.csi.v1.VolumeUsage;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Errors for OK responses that break rules contain the RPC, the plugin, the volume, the field and the remedy. */
class UnusableAnswersTest {
    private static final Snapshot SNAPSHOT = Snapshot.newBuilder()
            .setSnapshotId("snap-1")
            .setSourceVolumeId("vol-1")
            .build();
    private static final Volume VOLUME =
            Volume.newBuilder().setVolumeId("vol-1").build();

    @TempDir
    Path dir;

    private PluginServer plugin;
    private CsiClient client;

    @BeforeEach
    void start() throws IOException {
        Path socket = dir.resolve("csi.sock");
        plugin = PluginServer.start(socket, call -> call.ok(new byte[0]));
        client = CsiClient.builder(Endpoint.parse("unix://" + socket))
                .plugin("csi.example.com")
                .build();
    }

    @AfterEach
    void stop() {
        client.close();
        plugin.close();
    }

    static Stream<Arguments> answers() {
        return Stream.of(
                answer(Rpc.GET_PLUGIN_INFO, GetPluginInfoResponse.getDefaultInstance(), "name is empty"),
                answer(Rpc.CREATE_VOLUME, CreateVolumeResponse.getDefaultInstance(), "volume is missing"),
                answer(
                        Rpc.CREATE_VOLUME,
                        CreateVolumeResponse.newBuilder()
                                .setVolume(Volume.getDefaultInstance())
                                .build(),
                        "volume.volumeId is empty"),
                answer(
                        Rpc.CREATE_VOLUME,
                        CreateVolumeResponse.newBuilder()
                                .setVolume(VOLUME.toBuilder().setCapacityBytes(-1))
                                .build(),
                        "volume.capacityBytes is -1, below 0"),
                answer(
                        Rpc.LIST_VOLUMES,
                        ListVolumesResponse.newBuilder()
                                .addEntries(
                                        ListVolumesResponse.Entry.newBuilder().setVolume(VOLUME))
                                .addEntries(ListVolumesResponse.Entry.getDefaultInstance())
                                .build(),
                        "entries[1].volume is missing"),
                answer(
                        Rpc.LIST_VOLUMES,
                        ListVolumesResponse.newBuilder()
                                .addEntries(
                                        ListVolumesResponse.Entry.newBuilder().setVolume(Volume.getDefaultInstance()))
                                .build(),
                        "entries[0].volume.volumeId is empty"),
                answer(
                        Rpc.GET_CAPACITY,
                        GetCapacityResponse.newBuilder()
                                .setAvailableCapacity(-5)
                                .build(),
                        "availableCapacity is -5, below 0"),
                answer(
                        Rpc.GET_CAPACITY,
                        GetCapacityResponse.newBuilder()
                                .setMaximumVolumeSize(Int64Value.of(-5))
                                .build(),
                        "maximumVolumeSize is -5, below 0"),
                answer(
                        Rpc.GET_CAPACITY,
                        GetCapacityResponse.newBuilder()
                                .setMinimumVolumeSize(Int64Value.of(-5))
                                .build(),
                        "minimumVolumeSize is -5, below 0"),
                answer(Rpc.CREATE_SNAPSHOT, CreateSnapshotResponse.getDefaultInstance(), "snapshot is missing"),
                answer(
                        Rpc.CREATE_SNAPSHOT,
                        CreateSnapshotResponse.newBuilder()
                                .setSnapshot(SNAPSHOT.toBuilder().clearSnapshotId())
                                .build(),
                        "snapshot.snapshotId is empty"),
                answer(
                        Rpc.CREATE_SNAPSHOT,
                        CreateSnapshotResponse.newBuilder()
                                .setSnapshot(SNAPSHOT.toBuilder().clearSourceVolumeId())
                                .build(),
                        "snapshot.sourceVolumeId is empty"),
                answer(
                        Rpc.CREATE_SNAPSHOT,
                        CreateSnapshotResponse.newBuilder()
                                .setSnapshot(SNAPSHOT.toBuilder()
                                        .setCreationTime(Timestamp.newBuilder().setSeconds(Long.MAX_VALUE)))
                                .build(),
                        "snapshot.creationTime is no time"),
                answer(Rpc.GET_SNAPSHOT, GetSnapshotResponse.getDefaultInstance(), "snapshot is missing"),
                answer(
                        Rpc.LIST_SNAPSHOTS,
                        ListSnapshotsResponse.newBuilder()
                                .addEntries(ListSnapshotsResponse.Entry.getDefaultInstance())
                                .build(),
                        "entries[0].snapshot is missing"),
                answer(
                        Rpc.LIST_SNAPSHOTS,
                        ListSnapshotsResponse.newBuilder()
                                .addEntries(ListSnapshotsResponse.Entry.newBuilder()
                                        .setSnapshot(SNAPSHOT.toBuilder().setSizeBytes(-2)))
                                .build(),
                        "entries[0].snapshot.sizeBytes is -2, below 0"),
                answer(
                        Rpc.CONTROLLER_EXPAND_VOLUME,
                        ControllerExpandVolumeResponse.newBuilder()
                                .setCapacityBytes(-1)
                                .build(),
                        "capacityBytes is -1, below 0"),
                answer(
                        Rpc.CONTROLLER_EXPAND_VOLUME,
                        ControllerExpandVolumeResponse.newBuilder()
                                .setCapacityBytes(Filled.number("capacity_range.required_bytes") - 1)
                                .build(),
                        ", below the " + Filled.number("capacity_range.required_bytes") + " required"),
                answer(
                        Rpc.NODE_EXPAND_VOLUME,
                        NodeExpandVolumeResponse.newBuilder()
                                .setCapacityBytes(Filled.number("capacity_range.required_bytes") - 1)
                                .build(),
                        ", below the " + Filled.number("capacity_range.required_bytes") + " required"),
                answer(
                        Rpc.CREATE_VOLUME,
                        CreateVolumeResponse.newBuilder()
                                .setVolume(VOLUME.toBuilder()
                                        .addAccessibleTopology(
                                                Topology.newBuilder().putSegments("zone", "z1"))
                                        .addAccessibleTopology(
                                                Topology.newBuilder().putSegments("", "z1")))
                                .build(),
                        "volume.accessibleTopology[1].segments has an empty key"),
                answer(
                        Rpc.NODE_GET_INFO,
                        NodeGetInfoResponse.newBuilder()
                                .setNodeId("n")
                                .setAccessibleTopology(Topology.newBuilder()
                                        .putSegments("zone", "z1")
                                        .putSegments("Zone", "z2"))
                                .build(),
                        "accessibleTopology.segments has a key twice but for case"),
                answer(
                        Rpc.CONTROLLER_GET_VOLUME,
                        ControllerGetVolumeResponse.getDefaultInstance(),
                        "volume is missing"),
                answer(
                        Rpc.CONTROLLER_GET_VOLUME_HEALTH,
                        ControllerGetVolumeHealthResponse.newBuilder()
                                .setVolumeHealth(VolumeHealth.getDefaultInstance())
                                .build(),
                        "volumeHealth.volumeId is empty"),
                answer(
                        Rpc.CONTROLLER_LIST_VOLUME_HEALTH,
                        ControllerListVolumeHealthResponse.newBuilder()
                                .addEntries(VolumeHealth.getDefaultInstance())
                                .build(),
                        "entries[0].volumeId is empty"),
                answer(
                        Rpc.CREATE_VOLUME_GROUP_SNAPSHOT,
                        CreateVolumeGroupSnapshotResponse.getDefaultInstance(),
                        "groupSnapshot is missing"),
                answer(
                        Rpc.GET_VOLUME_GROUP_SNAPSHOT,
                        GetVolumeGroupSnapshotResponse.newBuilder()
                                .setGroupSnapshot(VolumeGroupSnapshot.newBuilder()
                                        .setGroupSnapshotId("g")
                                        .addSnapshots(SNAPSHOT)
                                        .addSnapshots(Snapshot.getDefaultInstance()))
                                .build(),
                        "groupSnapshot.snapshots[1].snapshotId is empty"),
                answer(Rpc.NODE_GET_INFO, NodeGetInfoResponse.getDefaultInstance(), "nodeId is empty"),
                answer(
                        Rpc.NODE_GET_INFO,
                        NodeGetInfoResponse.newBuilder()
                                .setNodeId("n")
                                .setMaxVolumesPerNode(-1)
                                .build(),
                        "maxVolumesPerNode is -1, below 0"),
                answer(
                        Rpc.NODE_EXPAND_VOLUME,
                        NodeExpandVolumeResponse.newBuilder()
                                .setCapacityBytes(-1)
                                .build(),
                        "capacityBytes is -1, below 0"),
                answer(
                        Rpc.NODE_GET_VOLUME_STATS,
                        NodeGetVolumeStatsResponse.newBuilder()
                                .addUsage(VolumeUsage.newBuilder().setUsed(-1))
                                .build(),
                        "usage[0].used is -1, below 0"),
                answer(
                        Rpc.GET_METADATA_ALLOCATED,
                        GetMetadataAllocatedResponse.newBuilder()
                                .addBlockMetadata(BlockMetadata.newBuilder().setByteOffset(-1))
                                .build(),
                        "blockMetadata[0].byteOffset is -1, below 0"),
                answer(
                        Rpc.GET_METADATA_DELTA,
                        GetMetadataDeltaResponse.newBuilder()
                                .addBlockMetadata(BlockMetadata.newBuilder()
                                        .setByteOffset(Long.MAX_VALUE)
                                        .setSizeBytes(1))
                                .build(),
                        "blockMetadata[0].sizeBytes is 1, which ends beyond any volume"));
    }

    private static Arguments answer(Rpc rpc, Message answer, String problem) {
        return Arguments.of(rpc, answer, problem);
    }

    @Test
    void expansionResponseWithSizeZeroIsAccepted() {
        NodeExpandVolumeRequest request = NodeExpandVolumeRequest.builder(ExternalVolumeId.of("v"), "/run/v")
                .capacityRange(CapacityRange.atLeast(10))
                .build();
        assertThat(client.node().nodeExpandVolume(request).join().capacityBytes())
                .isZero();
    }

    @ParameterizedTest(name = "{0}: {2}")
    @MethodSource("answers")
    void unusableResponseNamesItsField(Rpc rpc, Message answer, String problem) {
        plugin.behave(call -> call.ok(answer));

        Throwable failure = EveryRpc.call(client, rpc, FilledRequests.of(rpc, 0))
                .orTimeout(20, TimeUnit.SECONDS)
                .handle((value, thrown) -> thrown)
                .join();
        Throwable cause = failure instanceof CsiCallException ? failure : failure.getCause();

        assertThat(cause).isInstanceOfSatisfying(CsiCallException.class, unusable -> {
            assertThat(unusable.rpc()).isEqualTo(rpc);
            assertThat(unusable.plugin()).isEqualTo("csi.example.com");
            assertThat(unusable.code()).isEqualTo(StatusCode.INTERNAL);
            assertThat(unusable.outcome())
                    .isEqualTo(rpc.changesState() ? CallOutcome.OUTCOME_UNKNOWN : CallOutcome.RETRY_AFTER_CAUSE);
            assertThat(unusable.getMessage())
                    .startsWith(rpc.csiName())
                    .contains("csi.example.com", problem, "vendor")
                    .contains(rpc.changesState() ? "again with the same" : "Nothing was changed");
            unusable.volume()
                    .ifPresent(volume -> assertThat(unusable.getMessage()).contains(volume));
        });
    }
}
