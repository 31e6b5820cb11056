package io.csi4j.benchmarks.testkit;

import com.google.common.util.concurrent.ListenableFuture;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import io.csi4j.proto.csi.v1.ProbeRequest;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.grpc.ManagedChannel;
import io.grpc.inprocess.InProcessChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** Makes calls to a plugin with the stubs that gRPC generates. */
final class StubCalls implements AutoCloseable {
    /** The number of volumes that the calls use. */
    static final int VOLUMES = 64;

    private static final EventLoopGroup LOOP = new MultiThreadIoEventLoopGroup(
            1, new DefaultThreadFactory("benchmark-client", true), EpollIoHandler.newFactory());
    private static final List<ControllerPublishVolumeRequest> PUBLISH =
            IntStream.range(0, VOLUMES).mapToObj(StubCalls::request).toList();

    private final ManagedChannel channel;
    private final IdentityGrpc.IdentityFutureStub identity;
    private final ControllerGrpc.ControllerFutureStub controller;

    private StubCalls(ManagedChannel channel) {
        this.channel = channel;
        this.identity = IdentityGrpc.newFutureStub(channel);
        this.controller = ControllerGrpc.newFutureStub(channel);
    }

    static StubCalls on(String endpoint) {
        return new StubCalls(
                NettyChannelBuilder.forAddress(new DomainSocketAddress(endpoint.substring("unix://".length())))
                        .channelType(EpollDomainSocketChannel.class, DomainSocketAddress.class)
                        .eventLoopGroup(LOOP)
                        .withOption(ChannelOption.SO_KEEPALIVE, null)
                        .overrideAuthority("localhost")
                        .usePlaintext()
                        .disableRetry()
                        .directExecutor()
                        .build());
    }

    static StubCalls inProcess(String name) {
        return new StubCalls(
                InProcessChannelBuilder.forName(name).directExecutor().build());
    }

    static String volume(int number) {
        return "vol-" + number;
    }

    private static ControllerPublishVolumeRequest request(int volume) {
        return ControllerPublishVolumeRequest.newBuilder()
                .setVolumeId(volume(volume))
                .setNodeId("node-1")
                .setVolumeCapability(VolumeCapability.newBuilder()
                        .setMount(VolumeCapability.MountVolume.getDefaultInstance())
                        .setAccessMode(VolumeCapability.AccessMode.newBuilder()
                                .setMode(VolumeCapability.AccessMode.Mode.SINGLE_NODE_WRITER)))
                .putSecrets("password", "a-password-of-some-length")
                .build();
    }

    ListenableFuture<?> probe() {
        return identity.withDeadlineAfter(1, TimeUnit.MINUTES).probe(ProbeRequest.getDefaultInstance());
    }

    /** Calls ControllerPublishVolume for a volume. From the second call on, the volume is already published. */
    ListenableFuture<?> publish(int volume) {
        return controller.withDeadlineAfter(1, TimeUnit.MINUTES).controllerPublishVolume(PUBLISH.get(volume));
    }

    @Override
    public void close() {
        channel.shutdownNow();
        try {
            channel.awaitTermination(5, TimeUnit.SECONDS);
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
