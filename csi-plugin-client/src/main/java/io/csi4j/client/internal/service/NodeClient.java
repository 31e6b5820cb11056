package io.csi4j.client.internal.service;

import io.csi4j.client.internal.call.RpcCall;
import io.csi4j.client.internal.codec.HealthCodec;
import io.csi4j.client.internal.codec.NodeCodec;
import io.csi4j.client.internal.text.RedactedText;
import io.csi4j.client.internal.text.SensitiveFields;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.rpc.CsiRequest;
import io.csi4j.core.rpc.NodeExpandVolumeRequest;
import io.csi4j.core.rpc.NodeExpandVolumeResponse;
import io.csi4j.core.rpc.NodeGetCapabilitiesResponse;
import io.csi4j.core.rpc.NodeGetInfoResponse;
import io.csi4j.core.rpc.NodeGetStorageHealthRequest;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthRequest;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsRequest;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.rpc.NodeUnstageVolumeRequest;
import io.csi4j.proto.csi.v1.NodeGrpc;
import java.util.concurrent.CompletableFuture;

/** The Node service over gRPC. */
public final class NodeClient implements NodeService {
    private final ServiceCalls calls;

    public NodeClient(ServiceCalls calls) {
        this.calls = calls;
    }

    @Override
    public CompletableFuture<Void> nodeStageVolume(NodeStageVolumeRequest request) {
        io.csi4j.proto.csi.v1.NodeStageVolumeRequest wire = NodeCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.volumeId().value(),
                        Rpc.NODE_STAGE_VOLUME,
                        NodeGrpc.getNodeStageVolumeMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                answer -> null);
    }

    @Override
    public CompletableFuture<Void> nodeUnstageVolume(NodeUnstageVolumeRequest request) {
        io.csi4j.proto.csi.v1.NodeUnstageVolumeRequest wire = NodeCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.volumeId().value(),
                        Rpc.NODE_UNSTAGE_VOLUME,
                        NodeGrpc.getNodeUnstageVolumeMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                answer -> null);
    }

    @Override
    public CompletableFuture<Void> nodePublishVolume(NodePublishVolumeRequest request) {
        io.csi4j.proto.csi.v1.NodePublishVolumeRequest wire = NodeCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.volumeId().value(),
                        Rpc.NODE_PUBLISH_VOLUME,
                        NodeGrpc.getNodePublishVolumeMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                answer -> null);
    }

    @Override
    public CompletableFuture<Void> nodeUnpublishVolume(NodeUnpublishVolumeRequest request) {
        io.csi4j.proto.csi.v1.NodeUnpublishVolumeRequest wire = NodeCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.volumeId().value(),
                        Rpc.NODE_UNPUBLISH_VOLUME,
                        NodeGrpc.getNodeUnpublishVolumeMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                answer -> null);
    }

    @Override
    public CompletableFuture<NodeGetVolumeStatsResponse> nodeGetVolumeStats(NodeGetVolumeStatsRequest request) {
        io.csi4j.proto.csi.v1.NodeGetVolumeStatsRequest wire = NodeCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.volumeId().value(),
                        Rpc.NODE_GET_VOLUME_STATS,
                        NodeGrpc.getNodeGetVolumeStatsMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                NodeCodec::read);
    }

    @Override
    public CompletableFuture<NodeExpandVolumeResponse> nodeExpandVolume(NodeExpandVolumeRequest request) {
        io.csi4j.proto.csi.v1.NodeExpandVolumeRequest wire = NodeCodec.write(request);
        return calls.unary(
                request,
                RpcCall.about(
                        request.volumeId().value(),
                        Rpc.NODE_EXPAND_VOLUME,
                        NodeGrpc.getNodeExpandVolumeMethod(),
                        wire,
                        () -> SensitiveFields.of(wire)),
                answer -> NodeCodec.read(answer, request));
    }

    @Override
    public CompletableFuture<NodeGetCapabilitiesResponse> nodeGetCapabilities() {
        return calls.unary(
                CsiRequest.empty(),
                RpcCall.plain(
                        Rpc.NODE_GET_CAPABILITIES,
                        NodeGrpc.getNodeGetCapabilitiesMethod(),
                        io.csi4j.proto.csi.v1.NodeGetCapabilitiesRequest.getDefaultInstance()),
                NodeCodec::read);
    }

    @Override
    public CompletableFuture<NodeGetInfoResponse> nodeGetInfo() {
        return calls.unary(
                CsiRequest.empty(),
                RpcCall.plain(
                        Rpc.NODE_GET_INFO,
                        NodeGrpc.getNodeGetInfoMethod(),
                        io.csi4j.proto.csi.v1.NodeGetInfoRequest.getDefaultInstance()),
                NodeCodec::read);
    }

    @Override
    public CompletableFuture<NodeGetVolumeHealthResponse> nodeGetVolumeHealth(NodeGetVolumeHealthRequest request) {
        io.csi4j.proto.csi.v1.NodeGetVolumeHealthRequest wire = HealthCodec.write(request);
        RpcCall<io.csi4j.proto.csi.v1.NodeGetVolumeHealthRequest, io.csi4j.proto.csi.v1.NodeGetVolumeHealthResponse>
                call = RpcCall.about(
                        request.volumeId().value(),
                        Rpc.NODE_GET_VOLUME_HEALTH,
                        NodeGrpc.getNodeGetVolumeHealthMethod(),
                        wire,
                        () -> SensitiveFields.of(wire));
        return calls.unary(request, call, answer -> HealthCodec.read(answer, new RedactedText(call.sensitive())));
    }

    @Override
    public CompletableFuture<NodeGetStorageHealthResponse> nodeGetStorageHealth(NodeGetStorageHealthRequest request) {
        io.csi4j.proto.csi.v1.NodeGetStorageHealthRequest wire = HealthCodec.write(request);
        RpcCall<io.csi4j.proto.csi.v1.NodeGetStorageHealthRequest, io.csi4j.proto.csi.v1.NodeGetStorageHealthResponse>
                call = RpcCall.about(
                        null,
                        Rpc.NODE_GET_STORAGE_HEALTH,
                        NodeGrpc.getNodeGetStorageHealthMethod(),
                        wire,
                        () -> SensitiveFields.of(wire));
        return calls.unary(request, call, answer -> HealthCodec.read(answer, new RedactedText(call.sensitive())));
    }
}
