package io.csi4j.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import com.google.protobuf.BoolValue;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.UnknownFieldSet;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.BlockMetadataType;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.StorageHealthStatus;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeHealthStatus;
import io.csi4j.core.csi.VolumeUsageUnit;
import io.csi4j.core.rpc.ControllerGetCapabilitiesResponse;
import io.csi4j.core.rpc.ControllerGetVolumeHealthResponse;
import io.csi4j.core.rpc.ControllerGetVolumeResponse;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetPluginCapabilitiesResponse;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.rpc.NodeGetCapabilitiesResponse;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.rpc.ProbeResponse;
import io.csi4j.core.rpc.ValidateVolumeCapabilitiesResponse;
import io.csi4j.proto.csi.v1.ControllerServiceCapability;
import io.csi4j.proto.csi.v1.PluginCapability;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Responses of plugins with a newer or older CSI version, or with missing fields, are decoded. */
class NewerPeerTest {
    private static final int LATER = 77;

    @TempDir
    Path dir;

    private PluginServer plugin;
    private CsiClient client;

    @BeforeEach
    void start() throws IOException {
        Path socket = dir.resolve("csi.sock");
        plugin = PluginServer.start(socket, call -> call.ok(new byte[0]));
        client = CsiClient.connect("unix://" + socket);
    }

    @AfterEach
    void stop() {
        client.close();
        plugin.close();
    }

    private Object answered(Rpc rpc, Message answer) {
        plugin.behave(call -> call.ok(answer));
        return EveryRpc.call(client, rpc, FilledRequests.of(rpc, 0))
                .orTimeout(20, TimeUnit.SECONDS)
                .join();
    }

    @ParameterizedTest
    @EnumSource
    void unknownFieldsAreIgnored(Rpc rpc) {
        Message answer = Filled.message(rpc.csiName() + "Response", 0);

        assertThat(answered(rpc, withLaterFields(answer))).isEqualTo(FilledResponses.of(rpc, 0));
    }

    @ParameterizedTest
    @EnumSource
    void unknownEnumNumbersInResponseAreAccepted(Rpc rpc) {
        Message answer = withLaterEnums(Filled.message(rpc.csiName() + "Response", 0));

        assertThatCode(() -> answered(rpc, answer)).doesNotThrowAnyException();
    }

    private static Message withLaterFields(Message message) {
        Message.Builder later = message.toBuilder();
        later.setUnknownFields(UnknownFieldSet.newBuilder()
                .addField(999, UnknownFieldSet.Field.newBuilder().addVarint(1).build())
                .build());
        message.getAllFields().forEach((field, value) -> {
            if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && !field.isMapField()) {
                if (field.isRepeated()) {
                    for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
                        later.setRepeatedField(field, i, withLaterFields((Message) message.getRepeatedField(field, i)));
                    }
                } else {
                    later.setField(field, withLaterFields((Message) value));
                }
            }
        });
        return later.build();
    }

    private static Message withLaterEnums(Message message) {
        Message.Builder later = message.toBuilder();
        message.getAllFields().forEach((field, value) -> {
            if (field.getJavaType() == FieldDescriptor.JavaType.ENUM) {
                later.setField(field, field.getEnumType().findValueByNumberCreatingIfUnknown(LATER));
            } else if (field.getJavaType() == FieldDescriptor.JavaType.MESSAGE && !field.isMapField()) {
                if (field.isRepeated()) {
                    for (int i = 0; i < message.getRepeatedFieldCount(field); i++) {
                        later.setRepeatedField(field, i, withLaterEnums((Message) message.getRepeatedField(field, i)));
                    }
                } else {
                    later.setField(field, withLaterEnums((Message) value));
                }
            }
        });
        return later.build();
    }

    @Test
    void unknownCapabilitiesAreKeptAsNumbers() {
        ControllerGetCapabilitiesResponse answer = (ControllerGetCapabilitiesResponse) answered(
                Rpc.CONTROLLER_GET_CAPABILITIES,
                io.csi4j.proto.csi.v1.ControllerGetCapabilitiesResponse.newBuilder()
                        .addCapabilities(capability(1))
                        .addCapabilities(capability(LATER))
                        // A capability without a number and without a type says nothing and is ignored.
                        .addCapabilities(capability(0))
                        .addCapabilities(ControllerServiceCapability.getDefaultInstance())
                        .build());

        assertThat(answer.capabilities().known()).containsExactly(ControllerCapability.CREATE_DELETE_VOLUME);
        assertThat(answer.capabilities().unknownNumbers()).containsExactly(LATER);

        GetPluginCapabilitiesResponse whole = (GetPluginCapabilitiesResponse) answered(
                Rpc.GET_PLUGIN_CAPABILITIES,
                io.csi4j.proto.csi.v1.GetPluginCapabilitiesResponse.newBuilder()
                        .addCapabilities(PluginCapability.newBuilder()
                                .setService(
                                        PluginCapability.Service.newBuilder().setTypeValue(LATER)))
                        .addCapabilities(PluginCapability.newBuilder()
                                .setVolumeExpansion(PluginCapability.VolumeExpansion.newBuilder()
                                        .setTypeValue(LATER + 1)))
                        .addCapabilities(PluginCapability.getDefaultInstance())
                        .build());
        assertThat(whole.services().unknownNumbers()).containsExactly(LATER);
        assertThat(whole.volumeExpansion().unknownNumbers()).containsExactly(LATER + 1);
    }

    private static ControllerServiceCapability capability(int number) {
        return ControllerServiceCapability.newBuilder()
                .setRpc(ControllerServiceCapability.RPC.newBuilder().setTypeValue(number))
                .build();
    }

    @Test
    void unknownEnumNumberIsDecodedAsUnknownInHealthStatsAndMetadata() {
        ControllerGetVolumeHealthResponse health = (ControllerGetVolumeHealthResponse) answered(
                Rpc.CONTROLLER_GET_VOLUME_HEALTH,
                withLaterEnums(Filled.message("ControllerGetVolumeHealthResponse", 0)));
        assertThat(health.volumeHealth().orElseThrow().healthStatuses())
                .allSatisfy(entry -> {
                    assertThat(entry.status()).isEqualTo(VolumeHealthStatus.UNKNOWN);
                    assertThat(entry.statusNumber()).isEqualTo(LATER);
                })
                .hasSize(2);
        NodeGetStorageHealthResponse backends = (NodeGetStorageHealthResponse) answered(
                Rpc.NODE_GET_STORAGE_HEALTH, withLaterEnums(Filled.message("NodeGetStorageHealthResponse", 0)));
        assertThat(backends.backendHealth())
                .allSatisfy(entry -> {
                    assertThat(entry.status()).isEqualTo(StorageHealthStatus.UNKNOWN);
                    assertThat(entry.statusNumber()).isEqualTo(LATER);
                    assertThat(entry.volumeCapability().orElseThrow().accessMode())
                            .isEqualTo(VolumeAccessMode.UNKNOWN);
                })
                .hasSize(2);
        NodeGetVolumeStatsResponse stats = (NodeGetVolumeStatsResponse)
                answered(Rpc.NODE_GET_VOLUME_STATS, withLaterEnums(Filled.message("NodeGetVolumeStatsResponse", 0)));
        assertThat(stats.usage())
                .allSatisfy(row -> assertThat(row.unit()).isEqualTo(VolumeUsageUnit.UNKNOWN))
                .hasSize(2);
        GetMetadataAllocatedResponse metadata = (GetMetadataAllocatedResponse)
                answered(Rpc.GET_METADATA_ALLOCATED, withLaterEnums(Filled.message("GetMetadataAllocatedResponse", 0)));
        assertThat(metadata.blockMetadataType()).isEqualTo(BlockMetadataType.UNKNOWN);
    }

    @Test
    void confirmedCapabilityWithUnknownAccessTypeIsDropped() {
        ValidateVolumeCapabilitiesResponse answer = (ValidateVolumeCapabilitiesResponse) answered(
                Rpc.VALIDATE_VOLUME_CAPABILITIES,
                io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesResponse.newBuilder()
                        .setConfirmed(io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesResponse.Confirmed.newBuilder()
                                .addVolumeCapabilities(io.csi4j.proto.csi.v1.VolumeCapability.getDefaultInstance()))
                        .build());

        assertThat(answer.confirmed().orElseThrow().volumeCapabilities()).isEmpty();
    }

    @Test
    void probeResponseWithoutReadyFieldCountsAsReady() {
        io.csi4j.proto.csi.v1.ProbeResponse silent = io.csi4j.proto.csi.v1.ProbeResponse.getDefaultInstance();
        assertThat(answered(Rpc.PROBE, silent)).isEqualTo(ready(true));
        assertThat(answered(
                        Rpc.PROBE,
                        silent.toBuilder().setReady(BoolValue.of(true)).build()))
                .isEqualTo(ready(true));
        assertThat(answered(
                        Rpc.PROBE,
                        silent.toBuilder().setReady(BoolValue.of(false)).build()))
                .isEqualTo(ready(false));
    }

    private static ProbeResponse ready(boolean ready) {
        return new ProbeResponse(ready);
    }

    @Test
    void emptyPublishedNodeIdsInVolumeListAreDropped() {
        ListVolumesResponse answer = (ListVolumesResponse) answered(
                Rpc.LIST_VOLUMES,
                io.csi4j.proto.csi.v1.ListVolumesResponse.newBuilder()
                        .addEntries(io.csi4j.proto.csi.v1.ListVolumesResponse.Entry.newBuilder()
                                .setVolume(volume())
                                .setStatus(io.csi4j.proto.csi.v1.ListVolumesResponse.VolumeStatus.newBuilder()
                                        .addPublishedNodeIds("")
                                        .addPublishedNodeIds("node-1")
                                        .addPublishedNodeIds("")))
                        .build());

        assertThat(answer.entries().get(0).status().orElseThrow().publishedNodeIds())
                .containsExactly(ExternalNodeId.of("node-1"));
    }

    @Test
    void missingOptionalFieldsAreDecodedAsEmpty() {
        ControllerGetVolumeResponse volume = (ControllerGetVolumeResponse) answered(
                Rpc.CONTROLLER_GET_VOLUME,
                io.csi4j.proto.csi.v1.ControllerGetVolumeResponse.newBuilder()
                        .setVolume(volume())
                        .build());
        assertThat(volume.status()).isEmpty();
        assertThat(volume.volume().contentSource()).isEmpty();
        assertThat(volume.volume().capacityBytes()).isZero();

        NodeGetVolumeStatsResponse stats = (NodeGetVolumeStatsResponse) answered(
                Rpc.NODE_GET_VOLUME_STATS, io.csi4j.proto.csi.v1.NodeGetVolumeStatsResponse.getDefaultInstance());
        assertThat(stats.volumeCondition()).isEmpty();
        assertThat(stats.usage()).isEmpty();

        ControllerGetVolumeHealthResponse health = (ControllerGetVolumeHealthResponse) answered(
                Rpc.CONTROLLER_GET_VOLUME_HEALTH,
                io.csi4j.proto.csi.v1.ControllerGetVolumeHealthResponse.getDefaultInstance());
        assertThat(health.volumeHealth()).isEmpty();
    }

    @Test
    void allReportedNodeCapabilitiesAreDecoded() {
        io.csi4j.proto.csi.v1.NodeGetCapabilitiesResponse.Builder reported =
                io.csi4j.proto.csi.v1.NodeGetCapabilitiesResponse.newBuilder();
        for (NodeCapability each : List.of(NodeCapability.STAGE_UNSTAGE_VOLUME, NodeCapability.EXPAND_VOLUME)) {
            reported.addCapabilities(io.csi4j.proto.csi.v1.NodeServiceCapability.newBuilder()
                    .setRpc(io.csi4j.proto.csi.v1.NodeServiceCapability.RPC
                            .newBuilder()
                            .setTypeValue(each.number())));
        }
        NodeGetCapabilitiesResponse answer =
                (NodeGetCapabilitiesResponse) answered(Rpc.NODE_GET_CAPABILITIES, reported.build());
        assertThat(answer.capabilities().known())
                .containsExactlyInAnyOrder(NodeCapability.STAGE_UNSTAGE_VOLUME, NodeCapability.EXPAND_VOLUME);
    }

    @Test
    void contentSourceWithoutIdIsDecodedAsEmpty() {
        for (io.csi4j.proto.csi.v1.VolumeContentSource source : new io.csi4j.proto.csi.v1.VolumeContentSource[] {
            io.csi4j.proto.csi.v1.VolumeContentSource.getDefaultInstance(),
            io.csi4j.proto.csi.v1.VolumeContentSource.newBuilder()
                    .setSnapshot(io.csi4j.proto.csi.v1.VolumeContentSource.SnapshotSource.getDefaultInstance())
                    .build(),
            io.csi4j.proto.csi.v1.VolumeContentSource.newBuilder()
                    .setVolume(io.csi4j.proto.csi.v1.VolumeContentSource.VolumeSource.getDefaultInstance())
                    .build()
        }) {
            CreateVolumeResponse answer = (CreateVolumeResponse) answered(
                    Rpc.CREATE_VOLUME,
                    io.csi4j.proto.csi.v1.CreateVolumeResponse.newBuilder()
                            .setVolume(volume().toBuilder().setContentSource(source))
                            .build());
            assertThat(answer.volume().contentSource()).isEmpty();
        }
    }

    /** The volume condition of CSI up to 1.12, as bytes. */
    @Test
    @SuppressWarnings("deprecation") // removed by CSI 1.13
    void volumeConditionsOfOlderPluginsAreRead() {
        NodeGetVolumeStatsResponse stats = (NodeGetVolumeStatsResponse) answered(
                Rpc.NODE_GET_VOLUME_STATS,
                io.csi4j.proto.csi.v1.NodeGetVolumeStatsResponse.newBuilder()
                        .setVolumeCondition(io.csi4j.proto.csi.v1.VolumeCondition.newBuilder()
                                .setAbnormal(true)
                                .setMessage("stale"))
                        .build());

        assertThat(stats.volumeCondition()).contains(new VolumeCondition(true, "stale"));
    }

    private static io.csi4j.proto.csi.v1.Volume volume() {
        return io.csi4j.proto.csi.v1.Volume.newBuilder().setVolumeId("vol-1").build();
    }
}
