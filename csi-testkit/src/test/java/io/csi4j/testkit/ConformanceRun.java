package io.csi4j.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.proto.csi.v1.CapacityRange;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerUnpublishVolumeRequest;
import io.csi4j.proto.csi.v1.CreateSnapshotRequest;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.DeleteSnapshotRequest;
import io.csi4j.proto.csi.v1.DeleteVolumeRequest;
import io.csi4j.proto.csi.v1.NodeGetInfoRequest;
import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeStageVolumeRequest;
import io.csi4j.proto.csi.v1.NodeUnpublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeUnstageVolumeRequest;
import io.csi4j.proto.csi.v1.Snapshot;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import io.csi4j.testkit.capability.FakeCapability;
import io.grpc.Status;
import io.grpc.StatusRuntimeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Map;
import java.util.Set;

/**
 * One case of the public conformance suite: its paths, its usual requests, and its clean-up, which runs through
 * everything that was made in reverse order and repeats itself, as the suite's does.
 */
final class ConformanceRun {
    static final long BYTES = 10L << 30;
    static final long MORE_BYTES = BYTES + (1L << 30);
    static final String UNKNOWN = "unknown-volume-4711";

    final PluginClient client;
    final Set<FakeCapability> on;
    final boolean block;
    final Path targetParent;
    final Path staging;
    private final Deque<Runnable> cleanup = new ArrayDeque<>();
    private static int names;

    ConformanceRun(PluginClient client, Set<FakeCapability> on, boolean block, Path directory) throws IOException {
        this.client = client;
        this.on = on;
        this.block = block;
        this.targetParent = Files.createDirectory(directory.resolve("csi-mount"));
        this.staging = Files.createDirectory(directory.resolve("csi-staging"));
    }

    boolean has(FakeCapability capability) {
        return on.contains(capability);
    }

    static synchronized String name(String prefix) {
        return prefix + "-" + ++names;
    }

    String target() {
        return targetParent.resolve("target").toString();
    }

    VolumeCapability capability(Mode mode) {
        VolumeCapability.Builder capability = VolumeCapability.newBuilder();
        capability.getAccessModeBuilder().setMode(mode);
        if (block) {
            capability.getBlockBuilder();
        } else {
            capability.getMountBuilder();
        }
        return capability.build();
    }

    VolumeCapability writer() {
        return capability(Mode.SINGLE_NODE_WRITER);
    }

    CreateVolumeRequest.Builder volumeRequest(String name) {
        return CreateVolumeRequest.newBuilder()
                .setName(name)
                .addVolumeCapabilities(writer())
                .setCapacityRange(
                        CapacityRange.newBuilder().setRequiredBytes(BYTES).setLimitBytes(BYTES));
    }

    Volume create(CreateVolumeRequest request) {
        Volume volume = client.controller().createVolume(request).getVolume();
        assertThat(volume.getVolumeId()).isNotEmpty();
        cleanup.push(() -> clean(volume.getVolumeId(), ""));
        return volume;
    }

    Volume create(String prefix) {
        return create(volumeRequest(name(prefix)).build());
    }

    Snapshot snapshot(CreateSnapshotRequest request) {
        Snapshot snapshot = client.controller().createSnapshot(request).getSnapshot();
        assertThat(snapshot.getSnapshotId()).isNotEmpty();
        assertThat(snapshot.getSourceVolumeId()).isEqualTo(request.getSourceVolumeId());
        assertThat(snapshot.getCreationTime().getSeconds()).isPositive();
        cleanup.push(() -> client.controller()
                .deleteSnapshot(DeleteSnapshotRequest.newBuilder()
                        .setSnapshotId(snapshot.getSnapshotId())
                        .build()));
        return snapshot;
    }

    static CreateSnapshotRequest snapshotRequest(String name, Volume source) {
        return CreateSnapshotRequest.newBuilder()
                .setName(name)
                .setSourceVolumeId(source.getVolumeId())
                .build();
    }

    String nodeId() {
        return client.node()
                .nodeGetInfo(NodeGetInfoRequest.getDefaultInstance())
                .getNodeId();
    }

    ControllerPublishVolumeRequest.Builder publishRequest(Volume volume, String nodeId) {
        return ControllerPublishVolumeRequest.newBuilder()
                .setVolumeId(volume.getVolumeId())
                .setNodeId(nodeId)
                .setVolumeCapability(writer());
    }

    /** Publishes by the controller where there is such a call; gives the publish context. */
    Map<String, String> attach(ControllerPublishVolumeRequest request) {
        if (!has(FakeCapability.PUBLISH_UNPUBLISH_VOLUME)) {
            return Map.of();
        }
        Map<String, String> context =
                client.controller().controllerPublishVolume(request).getPublishContextMap();
        cleanup.push(() -> clean(request.getVolumeId(), request.getNodeId()));
        return context;
    }

    void stage(Volume volume, Map<String, String> publishContext, VolumeCapability capability) {
        if (has(FakeCapability.STAGE_UNSTAGE_VOLUME)) {
            client.node()
                    .nodeStageVolume(NodeStageVolumeRequest.newBuilder()
                            .setVolumeId(volume.getVolumeId())
                            .setStagingTargetPath(staging.toString())
                            .setVolumeCapability(capability)
                            .putAllVolumeContext(volume.getVolumeContextMap())
                            .putAllPublishContext(publishContext)
                            .build());
        }
    }

    NodePublishVolumeRequest.Builder nodePublishRequest(
            Volume volume, Map<String, String> publishContext, VolumeCapability capability) {
        return NodePublishVolumeRequest.newBuilder()
                .setVolumeId(volume.getVolumeId())
                .setTargetPath(target())
                .setStagingTargetPath(has(FakeCapability.STAGE_UNSTAGE_VOLUME) ? staging.toString() : "")
                .setVolumeCapability(capability)
                .putAllVolumeContext(volume.getVolumeContextMap())
                .putAllPublishContext(publishContext);
    }

    /** All the way to the target path. */
    void bringUp(Volume volume, VolumeCapability capability) {
        Map<String, String> context = attach(publishRequest(volume, nodeId())
                .setVolumeCapability(capability)
                .putAllVolumeContext(volume.getVolumeContextMap())
                .build());
        stage(volume, context, capability);
        client.node()
                .nodePublishVolume(
                        nodePublishRequest(volume, context, capability).build());
    }

    void cleanUp() throws IOException {
        while (!cleanup.isEmpty()) {
            cleanup.pop().run();
        }
        // The suite removes its two directories, and nothing may be left in them.
        Files.delete(targetParent);
        Files.delete(staging);
    }

    private void clean(String volumeId, String nodeId) {
        orMissing(() -> client.node()
                .nodeUnpublishVolume(NodeUnpublishVolumeRequest.newBuilder()
                        .setVolumeId(volumeId)
                        .setTargetPath(target())
                        .build()));
        if (has(FakeCapability.STAGE_UNSTAGE_VOLUME)) {
            orMissing(() -> client.node()
                    .nodeUnstageVolume(NodeUnstageVolumeRequest.newBuilder()
                            .setVolumeId(volumeId)
                            .setStagingTargetPath(staging.toString())
                            .build()));
        }
        if (!nodeId.isEmpty()) {
            client.controller()
                    .controllerUnpublishVolume(ControllerUnpublishVolumeRequest.newBuilder()
                            .setVolumeId(volumeId)
                            .setNodeId(nodeId)
                            .build());
        }
        client.controller()
                .deleteVolume(
                        DeleteVolumeRequest.newBuilder().setVolumeId(volumeId).build());
    }

    private static void orMissing(Runnable call) {
        try {
            call.run();
        } catch (StatusRuntimeException e) {
            assertThat(e.getStatus().getCode()).isEqualTo(Status.Code.NOT_FOUND);
        }
    }
}
