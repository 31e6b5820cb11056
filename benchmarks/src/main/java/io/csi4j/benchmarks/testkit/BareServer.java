package io.csi4j.benchmarks.testkit;

import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeResponse;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import io.csi4j.proto.csi.v1.ProbeRequest;
import io.csi4j.proto.csi.v1.ProbeResponse;
import io.grpc.Server;
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
import java.nio.file.Path;

/** A gRPC server whose handlers do nothing, with as many threads as a fake plugin. */
final class BareServer implements AutoCloseable {
    private final Server server;
    private final Path socket;

    BareServer(Path socket) throws IOException {
        this.socket = socket;
        EventLoopGroup loops = new MultiThreadIoEventLoopGroup(
                2, new DefaultThreadFactory("bare-server", true), EpollIoHandler.newFactory());
        server = NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toFile()))
                .channelType(EpollServerDomainSocketChannel.class)
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .bossEventLoopGroup(loops)
                .workerEventLoopGroup(loops)
                .directExecutor()
                .addService(new IdentityGrpc.IdentityImplBase() {
                    @Override
                    public void probe(ProbeRequest request, StreamObserver<ProbeResponse> caller) {
                        caller.onNext(ProbeResponse.getDefaultInstance());
                        caller.onCompleted();
                    }
                })
                .addService(new ControllerGrpc.ControllerImplBase() {
                    @Override
                    public void controllerPublishVolume(
                            ControllerPublishVolumeRequest request,
                            StreamObserver<ControllerPublishVolumeResponse> caller) {
                        caller.onNext(ControllerPublishVolumeResponse.getDefaultInstance());
                        caller.onCompleted();
                    }
                })
                .build()
                .start();
    }

    String endpoint() {
        return "unix://" + socket;
    }

    @Override
    public void close() {
        server.shutdownNow();
    }
}
