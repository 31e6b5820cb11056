package io.csi4j.client.registry;

import io.csi4j.proto.csi.v1.ControllerGetCapabilitiesRequest;
import io.csi4j.proto.csi.v1.ControllerGetCapabilitiesResponse;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.GetPluginCapabilitiesRequest;
import io.csi4j.proto.csi.v1.GetPluginCapabilitiesResponse;
import io.csi4j.proto.csi.v1.GetPluginInfoRequest;
import io.csi4j.proto.csi.v1.GetPluginInfoResponse;
import io.csi4j.proto.csi.v1.GroupControllerGetCapabilitiesRequest;
import io.csi4j.proto.csi.v1.GroupControllerGetCapabilitiesResponse;
import io.csi4j.proto.csi.v1.GroupControllerGrpc;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import io.csi4j.proto.csi.v1.NodeGetCapabilitiesRequest;
import io.csi4j.proto.csi.v1.NodeGetCapabilitiesResponse;
import io.csi4j.proto.csi.v1.NodeGetInfoRequest;
import io.csi4j.proto.csi.v1.NodeGetInfoResponse;
import io.csi4j.proto.csi.v1.NodeGrpc;
import io.csi4j.proto.csi.v1.PluginCapability;
import io.csi4j.proto.csi.v1.ProbeRequest;
import io.csi4j.proto.csi.v1.ProbeResponse;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** A plugin on a real socket with a given version, in this process or in a separate one. */
final class WirePlugin implements AutoCloseable {
    static final String READY = "ready";

    @SuppressWarnings("deprecation") // Netty 4.1 has no other.
    private final EventLoopGroup threads = new EpollEventLoopGroup(1, new DefaultThreadFactory("wire-plugin", true));

    private final Server server;

    private WirePlugin(Path socket, String version, Set<PluginCapability.Service.Type> services) throws IOException {
        this.server = NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toString()))
                .channelType(EpollServerDomainSocketChannel.class)
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .bossEventLoopGroup(threads)
                .workerEventLoopGroup(threads)
                .addService(new Identity(version, services))
                .addService(new Node(version))
                .addService(new Controller())
                .addService(new GroupController())
                .build()
                .start();
    }

    static WirePlugin start(Path socket, String version) throws IOException {
        return start(socket, version, Set.of(PluginCapability.Service.Type.CONTROLLER_SERVICE));
    }

    static WirePlugin start(Path socket, String version, Set<PluginCapability.Service.Type> services)
            throws IOException {
        return new WirePlugin(socket, version, services);
    }

    @Override
    public void close() {
        try {
            server.shutdownNow();
            server.awaitTermination(10, TimeUnit.SECONDS);
            threads.shutdownGracefully(0, 5, TimeUnit.SECONDS).await(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }

    private static <T> void answer(StreamObserver<T> out, T message) {
        out.onNext(message);
        out.onCompleted();
    }

    private static final class Identity extends IdentityGrpc.IdentityImplBase {
        private final String version;
        private final Set<PluginCapability.Service.Type> services;

        Identity(String version, Set<PluginCapability.Service.Type> services) {
            this.version = version;
            this.services = services;
        }

        @Override
        public void getPluginInfo(GetPluginInfoRequest request, StreamObserver<GetPluginInfoResponse> out) {
            answer(
                    out,
                    GetPluginInfoResponse.newBuilder()
                            .setName("wire.csi4j.io")
                            .setVendorVersion(version)
                            .build());
        }

        @Override
        public void getPluginCapabilities(
                GetPluginCapabilitiesRequest request, StreamObserver<GetPluginCapabilitiesResponse> out) {
            GetPluginCapabilitiesResponse.Builder reported = GetPluginCapabilitiesResponse.newBuilder();
            services.forEach(type -> reported.addCapabilities(PluginCapability.newBuilder()
                    .setService(PluginCapability.Service.newBuilder().setType(type))));
            answer(out, reported.build());
        }

        @Override
        public void probe(ProbeRequest request, StreamObserver<ProbeResponse> out) {
            answer(out, ProbeResponse.getDefaultInstance());
        }
    }

    private static final class Node extends NodeGrpc.NodeImplBase {
        private final String version;

        Node(String version) {
            this.version = version;
        }

        @Override
        public void nodeGetCapabilities(
                NodeGetCapabilitiesRequest request, StreamObserver<NodeGetCapabilitiesResponse> out) {
            answer(out, NodeGetCapabilitiesResponse.getDefaultInstance());
        }

        @Override
        public void nodeGetInfo(NodeGetInfoRequest request, StreamObserver<NodeGetInfoResponse> out) {
            answer(
                    out,
                    NodeGetInfoResponse.newBuilder().setNodeId("n-" + version).build());
        }
    }

    private static final class Controller extends ControllerGrpc.ControllerImplBase {
        @Override
        public void controllerGetCapabilities(
                ControllerGetCapabilitiesRequest request, StreamObserver<ControllerGetCapabilitiesResponse> out) {
            answer(out, ControllerGetCapabilitiesResponse.getDefaultInstance());
        }
    }

    private static final class GroupController extends GroupControllerGrpc.GroupControllerImplBase {
        @Override
        public void groupControllerGetCapabilities(
                GroupControllerGetCapabilitiesRequest request,
                StreamObserver<GroupControllerGetCapabilitiesResponse> out) {
            answer(out, GroupControllerGetCapabilitiesResponse.getDefaultInstance());
        }
    }

    /** The main class of the plugin. It ends when its input ends, so that it never outlives the tests. */
    static final class Main {
        private Main() {}

        public static void main(String[] arguments) throws IOException {
            Path socket = Path.of(arguments[0]);
            Files.deleteIfExists(socket);
            WirePlugin plugin = WirePlugin.start(socket, arguments[1]);
            System.out.println(READY);
            System.out.flush();
            while (System.in.read() >= 0) {
                // Ignores the input until it ends.
            }
            plugin.close();
        }
    }
}
