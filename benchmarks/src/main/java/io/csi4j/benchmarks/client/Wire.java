package io.csi4j.benchmarks.client;

import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeRequest;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeResponse;
import io.csi4j.proto.csi.v1.VolumeCapability;
import io.grpc.ManagedChannel;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Creates the server of the benchmark, the requests for the generated stubs, and a channel with the same settings as
 * that of the csi4j client.
 */
final class Wire {
    /** The number of volumes that the calls use. */
    static final int VOLUMES = 64;

    private Wire() {}

    /** Returns one request of realistic size for each volume, with a capability, contexts and two secrets. */
    static List<ControllerPublishVolumeRequest> requests() {
        return IntStream.range(0, VOLUMES).mapToObj(Wire::request).toList();
    }

    private static ControllerPublishVolumeRequest request(int volume) {
        return ControllerPublishVolumeRequest.newBuilder()
                .setVolumeId("vol-0123456789abcd%03x".formatted(volume))
                .setNodeId("i-0123456789abcdef0")
                .setVolumeCapability(VolumeCapability.newBuilder()
                        .setMount(VolumeCapability.MountVolume.newBuilder()
                                .setFsType("ext4")
                                .addMountFlags("noatime"))
                        .setAccessMode(VolumeCapability.AccessMode.newBuilder()
                                .setMode(VolumeCapability.AccessMode.Mode.SINGLE_NODE_WRITER)))
                .putSecrets("username", "storage-user")
                .putSecrets("password", "a-password-of-some-length")
                .putVolumeContext("pool", "fast")
                .putVolumeContext("backend", "array-17")
                .build();
    }

    private static ControllerPublishVolumeResponse response() {
        return ControllerPublishVolumeResponse.newBuilder()
                .putPublishContext("devicePath", "/dev/disk/by-id/0123456789abcdef")
                .putPublishContext("lun", "17")
                .putPublishContext("portal", "10.0.0.1:3260")
                .build();
    }

    /** Returns a server that answers at once. */
    static Server server(String path) throws IOException {
        EventLoopGroup loop = loop("server");
        ControllerPublishVolumeResponse response = response();
        return NettyServerBuilder.forAddress(new DomainSocketAddress(path))
                .channelType(EpollServerDomainSocketChannel.class)
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .bossEventLoopGroup(loop)
                .workerEventLoopGroup(loop)
                .directExecutor()
                .addService(new ControllerGrpc.ControllerImplBase() {
                    @Override
                    public void controllerPublishVolume(
                            ControllerPublishVolumeRequest request,
                            StreamObserver<ControllerPublishVolumeResponse> observer) {
                        observer.onNext(response);
                        observer.onCompleted();
                    }
                })
                .build()
                .start();
    }

    static EventLoopGroup loop(String name) {
        return new MultiThreadIoEventLoopGroup(1, new DefaultThreadFactory(name, true), EpollIoHandler.newFactory());
    }

    /** Returns a channel with the settings of the typed client. */
    static ManagedChannel channel(String path, EventLoopGroup loop) {
        return NettyChannelBuilder.forAddress(new DomainSocketAddress(path))
                .channelType(EpollDomainSocketChannel.class, DomainSocketAddress.class)
                .eventLoopGroup(loop)
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .overrideAuthority("localhost")
                .usePlaintext()
                .disableRetry()
                .maxInboundMessageSize(16 << 20)
                .maxInboundMetadataSize(1 << 20)
                .build();
    }
}
