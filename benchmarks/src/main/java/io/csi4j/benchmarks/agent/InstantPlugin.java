package io.csi4j.benchmarks.agent;

import io.csi4j.proto.csi.v1.ControllerGetCapabilitiesRequest;
import io.csi4j.proto.csi.v1.ControllerGetCapabilitiesResponse;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeResponse;
import io.csi4j.proto.csi.v1.ControllerServiceCapability;
import io.csi4j.proto.csi.v1.GetPluginCapabilitiesRequest;
import io.csi4j.proto.csi.v1.GetPluginCapabilitiesResponse;
import io.csi4j.proto.csi.v1.GetPluginInfoRequest;
import io.csi4j.proto.csi.v1.GetPluginInfoResponse;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import io.csi4j.proto.csi.v1.NodeGetCapabilitiesRequest;
import io.csi4j.proto.csi.v1.NodeGetCapabilitiesResponse;
import io.csi4j.proto.csi.v1.NodeGetInfoRequest;
import io.csi4j.proto.csi.v1.NodeGetInfoResponse;
import io.csi4j.proto.csi.v1.NodeGetVolumeStatsRequest;
import io.csi4j.proto.csi.v1.NodeGetVolumeStatsResponse;
import io.csi4j.proto.csi.v1.NodeGrpc;
import io.csi4j.proto.csi.v1.NodePublishVolumeRequest;
import io.csi4j.proto.csi.v1.NodePublishVolumeResponse;
import io.csi4j.proto.csi.v1.NodeServiceCapability;
import io.csi4j.proto.csi.v1.PluginCapability;
import io.csi4j.proto.csi.v1.ProbeRequest;
import io.csi4j.proto.csi.v1.ProbeResponse;
import io.csi4j.proto.csi.v1.VolumeUsage;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.stub.StreamObserver;
import java.io.IOException;

/**
 * A program that runs a plugin which mounts nothing and answers at once. It ends when its standard input is closed.
 */
final class InstantPlugin {
    private InstantPlugin() {}

    /**
     * Starts the plugin.
     *
     * @param sockets the paths to listen on
     * @throws IOException if the plugin cannot listen on a path
     */
    public static void main(String[] sockets) throws IOException {
        EventLoopGroup loop = new MultiThreadIoEventLoopGroup(
                1, new DefaultThreadFactory("plugin", true), EpollIoHandler.newFactory());
        for (String socket : sockets) {
            NettyServerBuilder.forAddress(new DomainSocketAddress(socket))
                    .channelType(EpollServerDomainSocketChannel.class)
                    .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                    .bossEventLoopGroup(loop)
                    .workerEventLoopGroup(loop)
                    .directExecutor()
                    .addService(new Identity())
                    .addService(new Controller())
                    .addService(new Node())
                    .build()
                    .start();
        }
        Programs.serve();
    }

    private static <T> void answer(StreamObserver<T> observer, T response) {
        observer.onNext(response);
        observer.onCompleted();
    }

    private static final class Identity extends IdentityGrpc.IdentityImplBase {
        @Override
        public void getPluginInfo(GetPluginInfoRequest request, StreamObserver<GetPluginInfoResponse> observer) {
            answer(
                    observer,
                    GetPluginInfoResponse.newBuilder()
                            .setName("instant.csi4j.io")
                            .setVendorVersion("1")
                            .build());
        }

        @Override
        public void getPluginCapabilities(
                GetPluginCapabilitiesRequest request, StreamObserver<GetPluginCapabilitiesResponse> observer) {
            answer(
                    observer,
                    GetPluginCapabilitiesResponse.newBuilder()
                            .addCapabilities(PluginCapability.newBuilder()
                                    .setService(PluginCapability.Service.newBuilder()
                                            .setType(PluginCapability.Service.Type.CONTROLLER_SERVICE)))
                            .build());
        }

        @Override
        public void probe(ProbeRequest request, StreamObserver<ProbeResponse> observer) {
            answer(observer, ProbeResponse.getDefaultInstance());
        }
    }

    private static final class Controller extends ControllerGrpc.ControllerImplBase {
        private static final ControllerPublishVolumeResponse PUBLISHED = ControllerPublishVolumeResponse.newBuilder()
                .putPublishContext("devicePath", "/dev/disk/by-id/0123456789abcdef")
                .putPublishContext("lun", "17")
                .build();

        @Override
        public void controllerGetCapabilities(
                ControllerGetCapabilitiesRequest request, StreamObserver<ControllerGetCapabilitiesResponse> observer) {
            answer(
                    observer,
                    ControllerGetCapabilitiesResponse.newBuilder()
                            .addCapabilities(ControllerServiceCapability.newBuilder()
                                    .setRpc(ControllerServiceCapability.RPC
                                            .newBuilder()
                                            .setType(ControllerServiceCapability.RPC.Type.PUBLISH_UNPUBLISH_VOLUME)))
                            .build());
        }

        @Override
        public void controllerPublishVolume(
                ControllerPublishVolumeRequest request, StreamObserver<ControllerPublishVolumeResponse> observer) {
            answer(observer, PUBLISHED);
        }
    }

    private static final class Node extends NodeGrpc.NodeImplBase {
        private static final NodeGetVolumeStatsResponse STATS = NodeGetVolumeStatsResponse.newBuilder()
                .addUsage(VolumeUsage.newBuilder()
                        .setAvailable(70)
                        .setTotal(100)
                        .setUsed(30)
                        .setUnit(VolumeUsage.Unit.BYTES))
                .build();

        @Override
        public void nodeGetCapabilities(
                NodeGetCapabilitiesRequest request, StreamObserver<NodeGetCapabilitiesResponse> observer) {
            answer(
                    observer,
                    NodeGetCapabilitiesResponse.newBuilder()
                            .addCapabilities(NodeServiceCapability.newBuilder()
                                    .setRpc(NodeServiceCapability.RPC
                                            .newBuilder()
                                            .setType(NodeServiceCapability.RPC.Type.GET_VOLUME_STATS)))
                            .build());
        }

        @Override
        public void nodeGetInfo(NodeGetInfoRequest request, StreamObserver<NodeGetInfoResponse> observer) {
            answer(observer, NodeGetInfoResponse.newBuilder().setNodeId("n").build());
        }

        @Override
        public void nodePublishVolume(
                NodePublishVolumeRequest request, StreamObserver<NodePublishVolumeResponse> observer) {
            answer(observer, NodePublishVolumeResponse.getDefaultInstance());
        }

        @Override
        public void nodeGetVolumeStats(
                NodeGetVolumeStatsRequest request, StreamObserver<NodeGetVolumeStatsResponse> observer) {
            answer(observer, STATS);
        }
    }
}
