package io.csi4j.testkit.internal.service;

import io.csi4j.proto.csi.v1.NodeExpandVolumeRequest;
import io.csi4j.proto.csi.v1.NodeExpandVolumeResponse;
import io.csi4j.proto.csi.v1.NodeGetCapabilitiesRequest;
import io.csi4j.proto.csi.v1.NodeGetCapabilitiesResponse;
import io.csi4j.proto.csi.v1.NodeGetInfoRequest;
import io.csi4j.proto.csi.v1.NodeGetInfoResponse;
import io.csi4j.proto.csi.v1.NodeGetStorageHealthRequest;
import io.csi4j.proto.csi.v1.NodeGetStorageHealthResponse;
import io.csi4j.proto.csi.v1.NodeGetVolumeHealthRequest;
import io.csi4j.proto.csi.v1.NodeGetVolumeHealthResponse;
import io.csi4j.proto.csi.v1.NodeGetVolumeStatsRequest;
import io.csi4j.proto.csi.v1.NodeGetVolumeStatsResponse;
import io.csi4j.proto.csi.v1.NodeGrpc;
import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodePublishVolumeResponse;
import io.csi4j.proto.csi.v1.NodeServiceCapability;
import io.csi4j.proto.csi.v1.NodeStageVolumeRequest;
import io.csi4j.proto.csi.v1.NodeStageVolumeResponse;
import io.csi4j.proto.csi.v1.NodeUnpublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodeUnpublishVolumeResponse;
import io.csi4j.proto.csi.v1.NodeUnstageVolumeRequest;
import io.csi4j.proto.csi.v1.NodeUnstageVolumeResponse;
import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.internal.node.NodeGauge;
import io.csi4j.testkit.internal.node.NodeOperations;
import io.csi4j.testkit.internal.storage.VolumeRecord;
import io.grpc.stub.StreamObserver;
import java.util.TreeSet;
import java.util.function.Supplier;

/** The Node service, with one method for each RPC. */
public final class FakeNodeService extends NodeGrpc.NodeImplBase {
    private final PluginConfig config;
    private final NodeRules rules;
    private final NodeOperations volumes;
    private final NodeGauge gauge;
    private final InFlight inFlight;
    private final CallHook hook;

    /**
     * Creates the service.
     *
     * @param volumes stages and publishes volumes on this node
     * @param gauge measures and expands volumes on this node
     * @param inFlight the calls in flight on this node
     * @param hook called at the start of each changing call
     */
    public FakeNodeService(
            PluginConfig config, NodeOperations volumes, NodeGauge gauge, InFlight inFlight, CallHook hook) {
        this.config = config;
        this.rules = new NodeRules(config);
        this.volumes = volumes;
        this.gauge = gauge;
        this.inFlight = inFlight;
        this.hook = hook;
    }

    private <R> R alone(String rpc, String volumeId, Supplier<R> work) {
        return inFlight.alone(rpc, volumeId, hook, work);
    }

    @Override
    public void nodeGetCapabilities(
            NodeGetCapabilitiesRequest request, StreamObserver<NodeGetCapabilitiesResponse> caller) {
        Answer.with(caller, () -> {
            NodeGetCapabilitiesResponse.Builder response = NodeGetCapabilitiesResponse.newBuilder();
            for (FakeCapability capability : new TreeSet<>(config.capabilities())) {
                if (capability.service() == FakeCapability.Service.NODE) {
                    response.addCapabilities(NodeServiceCapability.newBuilder()
                            .setRpc(NodeServiceCapability.RPC.newBuilder().setTypeValue(capability.number())));
                }
            }
            return response.build();
        });
    }

    @Override
    public void nodeGetInfo(NodeGetInfoRequest request, StreamObserver<NodeGetInfoResponse> caller) {
        Answer.with(caller, () -> {
            NodeGetInfoResponse.Builder response = NodeGetInfoResponse.newBuilder()
                    .setNodeId(config.nodeId())
                    .setMaxVolumesPerNode(gauge.attachLimit(config.nodeId()));
            if (config.has(FakeCapability.VOLUME_ACCESSIBILITY_CONSTRAINTS)) {
                response.getAccessibleTopologyBuilder().putAllSegments(config.segments());
            }
            return response.build();
        });
    }

    @Override
    public void nodeStageVolume(NodeStageVolumeRequest request, StreamObserver<NodeStageVolumeResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.STAGE_UNSTAGE_VOLUME, "NodeStageVolume");
            rules.check(request);
            return alone("NodeStageVolume", request.getVolumeId(), () -> {
                volumes.stage(request);
                return NodeStageVolumeResponse.getDefaultInstance();
            });
        });
    }

    @Override
    public void nodeUnstageVolume(NodeUnstageVolumeRequest request, StreamObserver<NodeUnstageVolumeResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.STAGE_UNSTAGE_VOLUME, "NodeUnstageVolume");
            rules.check(request);
            return alone("NodeUnstageVolume", request.getVolumeId(), () -> {
                volumes.unstage(request.getVolumeId(), request.getStagingTargetPath());
                return NodeUnstageVolumeResponse.getDefaultInstance();
            });
        });
    }

    @Override
    public void nodePublishVolume(NodePublishVolumeRequest request, StreamObserver<NodePublishVolumeResponse> caller) {
        Answer.with(caller, () -> {
            rules.check(request);
            return alone("NodePublishVolume", request.getVolumeId(), () -> {
                volumes.publish(request);
                return NodePublishVolumeResponse.getDefaultInstance();
            });
        });
    }

    @Override
    public void nodeUnpublishVolume(
            NodeUnpublishVolumeRequest request, StreamObserver<NodeUnpublishVolumeResponse> caller) {
        Answer.with(caller, () -> {
            rules.check(request);
            return alone("NodeUnpublishVolume", request.getVolumeId(), () -> {
                volumes.unpublish(request.getVolumeId(), request.getTargetPath());
                return NodeUnpublishVolumeResponse.getDefaultInstance();
            });
        });
    }

    @Override
    // CSI deprecated the volume condition in 1.13. This plugin reports it, because callers of CSI 1.12 need it.
    @SuppressWarnings("deprecation")
    public void nodeGetVolumeStats(
            NodeGetVolumeStatsRequest request, StreamObserver<NodeGetVolumeStatsResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.GET_VOLUME_STATS, "NodeGetVolumeStats");
            rules.check(request);
            NodeGauge.Reading reading =
                    gauge.read(request.getVolumeId(), request.getVolumePath(), request.getStagingTargetPath());
            NodeGetVolumeStatsResponse.Builder response =
                    NodeGetVolumeStatsResponse.newBuilder().addAllUsage(reading.usage());
            if (config.has(FakeCapability.NODE_VOLUME_CONDITION)) {
                response.setVolumeCondition(Views.condition(reading.volume().condition()));
            }
            return response.build();
        });
    }

    @Override
    public void nodeExpandVolume(NodeExpandVolumeRequest request, StreamObserver<NodeExpandVolumeResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.NODE_EXPAND_VOLUME, "NodeExpandVolume");
            rules.check(request);
            return alone("NodeExpandVolume", request.getVolumeId(), () -> {
                VolumeRecord volume =
                        gauge.require(request.getVolumeId(), request.getVolumePath(), request.getStagingTargetPath());
                if (request.hasVolumeCapability()) {
                    Confirmation.requireAccessType(volume, request.getVolumeCapability());
                }
                long bytes = gauge.grow(
                        volume, request.getCapacityRange(), config.has(FakeCapability.CONTROLLER_EXPAND_VOLUME));
                return NodeExpandVolumeResponse.newBuilder()
                        .setCapacityBytes(bytes)
                        .build();
            });
        });
    }

    @Override
    public void nodeGetVolumeHealth(
            NodeGetVolumeHealthRequest request, StreamObserver<NodeGetVolumeHealthResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.NODE_GET_VOLUME_HEALTH, "NodeGetVolumeHealth");
            rules.check(request);
            return NodeGetVolumeHealthResponse.newBuilder()
                    .setVolumeHealth(Views.health(gauge.volume(request.getVolumeId())))
                    .build();
        });
    }

    @Override
    public void nodeGetStorageHealth(
            NodeGetStorageHealthRequest request, StreamObserver<NodeGetStorageHealthResponse> caller) {
        Answer.with(caller, () -> {
            Answer.require(config, FakeCapability.GET_STORAGE_HEALTH, "NodeGetStorageHealth");
            return NodeGetStorageHealthResponse.getDefaultInstance();
        });
    }
}
