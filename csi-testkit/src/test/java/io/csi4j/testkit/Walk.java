package io.csi4j.testkit;

import io.csi4j.proto.csi.v1.CapacityRange;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerUnpublishVolumeRequest;
import io.csi4j.proto.csi.v1.CreateSnapshotRequest;
import io.csi4j.proto.csi.v1.CreateVolumeRequest;
import io.csi4j.proto.csi.v1.DeleteVolumeRequest;
import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeStageVolumeRequest;
import io.csi4j.proto.csi.v1.NodeUnpublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeUnstageVolumeRequest;
import io.csi4j.proto.csi.v1.Snapshot;
import io.csi4j.proto.csi.v1.Volume;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode.Mode;
import java.util.Map;

/** The requests of a volume's life as a correct caller sends them, for one client and one node. */
final class Walk {
    static final Map<String, String> SECRETS = Map.of("password", "canary-4711");

    final PluginClient client;
    final String nodeId;
    boolean block;
    Mode mode = Mode.SINGLE_NODE_WRITER;
    long bytes = 8L << 20;

    Walk(PluginClient client, String nodeId) {
        this.client = client;
        this.nodeId = nodeId;
    }

    VolumeCapability capability() {
        VolumeCapability.Builder capability = VolumeCapability.newBuilder();
        capability.getAccessModeBuilder().setMode(mode);
        if (block) {
            capability.getBlockBuilder();
        } else {
            capability.getMountBuilder();
        }
        return capability.build();
    }

    CreateVolumeRequest.Builder createRequest(String name) {
        return CreateVolumeRequest.newBuilder()
                .setName(name)
                .addVolumeCapabilities(capability())
                .putAllSecrets(SECRETS)
                .setCapacityRange(CapacityRange.newBuilder().setRequiredBytes(bytes));
    }

    Volume create(String name) {
        return client.controller().createVolume(createRequest(name).build()).getVolume();
    }

    Map<String, String> attach(Volume volume, boolean readonly) {
        return client.controller()
                .controllerPublishVolume(ControllerPublishVolumeRequest.newBuilder()
                        .setVolumeId(volume.getVolumeId())
                        .setNodeId(nodeId)
                        .setVolumeCapability(capability())
                        .setReadonly(readonly)
                        .putAllSecrets(SECRETS)
                        .putAllVolumeContext(volume.getVolumeContextMap())
                        .build())
                .getPublishContextMap();
    }

    NodeStageVolumeRequest.Builder stageRequest(Volume volume, Map<String, String> context, String staging) {
        return NodeStageVolumeRequest.newBuilder()
                .setVolumeId(volume.getVolumeId())
                .setStagingTargetPath(staging)
                .setVolumeCapability(capability())
                .putAllSecrets(SECRETS)
                .putAllPublishContext(context)
                .putAllVolumeContext(volume.getVolumeContextMap());
    }

    void stage(Volume volume, Map<String, String> context, String staging) {
        client.node().nodeStageVolume(stageRequest(volume, context, staging).build());
    }

    NodePublishVolumeRequest.Builder publishRequest(
            Volume volume, Map<String, String> context, String staging, String target) {
        return NodePublishVolumeRequest.newBuilder()
                .setVolumeId(volume.getVolumeId())
                .setStagingTargetPath(staging)
                .setTargetPath(target)
                .setVolumeCapability(capability())
                .putAllSecrets(SECRETS)
                .putAllPublishContext(context)
                .putAllVolumeContext(volume.getVolumeContextMap());
    }

    void publish(Volume volume, Map<String, String> context, String staging, String target, boolean readonly) {
        client.node()
                .nodePublishVolume(publishRequest(volume, context, staging, target)
                        .setReadonly(readonly)
                        .build());
    }

    void unpublish(String volumeId, String target) {
        client.node()
                .nodeUnpublishVolume(NodeUnpublishVolumeRequest.newBuilder()
                        .setVolumeId(volumeId)
                        .setTargetPath(target)
                        .build());
    }

    void unstage(String volumeId, String staging) {
        client.node()
                .nodeUnstageVolume(NodeUnstageVolumeRequest.newBuilder()
                        .setVolumeId(volumeId)
                        .setStagingTargetPath(staging)
                        .build());
    }

    void detach(String volumeId) {
        client.controller()
                .controllerUnpublishVolume(ControllerUnpublishVolumeRequest.newBuilder()
                        .setVolumeId(volumeId)
                        .setNodeId(nodeId)
                        .putAllSecrets(SECRETS)
                        .build());
    }

    void delete(String volumeId) {
        client.controller()
                .deleteVolume(DeleteVolumeRequest.newBuilder()
                        .setVolumeId(volumeId)
                        .putAllSecrets(SECRETS)
                        .build());
    }

    Snapshot snapshot(String name, Volume volume) {
        return client.controller()
                .createSnapshot(CreateSnapshotRequest.newBuilder()
                        .setName(name)
                        .setSourceVolumeId(volume.getVolumeId())
                        .putAllSecrets(SECRETS)
                        .build())
                .getSnapshot();
    }
}
