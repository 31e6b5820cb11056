package io.csi4j.agent;

import com.google.protobuf.Message;
import io.csi4j.proto.csi.v1.ControllerGrpc;
import io.csi4j.proto.csi.v1.ControllerServiceCapability;
import io.csi4j.proto.csi.v1.GetPluginInfoResponse;
import io.csi4j.proto.csi.v1.GroupControllerGrpc;
import io.csi4j.proto.csi.v1.IdentityGrpc;
import io.csi4j.proto.csi.v1.NodeGetInfoResponse;
import io.csi4j.proto.csi.v1.NodeGrpc;
import io.csi4j.proto.csi.v1.NodeServiceCapability;
import io.csi4j.proto.csi.v1.PluginCapability;
import io.csi4j.proto.csi.v1.SnapshotMetadataGrpc;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.stub.ServerCalls;
import io.grpc.stub.StreamObserver;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A plugin on a real socket that answers each RPC with what a test wants, and with an empty answer otherwise. It mounts
 * nothing.
 */
final class ScriptedPlugin implements AutoCloseable {
    /** What it does with a call. */
    interface Behaviour {
        void answer(Message request, StreamObserver<Message> out);
    }

    /** A call that came. */
    record Call(String rpc, Message request) {}

    @SuppressWarnings("deprecation") // Netty 4.1 has no other.
    private final EventLoopGroup threads =
            new EpollEventLoopGroup(1, new DefaultThreadFactory("scripted-plugin", true));

    private final Server server;
    private final Map<String, Behaviour> behaviours = new ConcurrentHashMap<>();
    private final BlockingQueue<Call> arrived = new LinkedBlockingQueue<>();
    final List<Call> calls = new CopyOnWriteArrayList<>();

    ScriptedPlugin(Path socket) throws IOException {
        Files.deleteIfExists(socket);
        reports();
        this.server = NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toString()))
                .channelType(EpollServerDomainSocketChannel.class)
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .bossEventLoopGroup(threads)
                .workerEventLoopGroup(threads)
                .addService(service(IdentityGrpc.getServiceDescriptor()))
                .addService(service(ControllerGrpc.getServiceDescriptor()))
                .addService(service(GroupControllerGrpc.getServiceDescriptor()))
                .addService(service(NodeGrpc.getServiceDescriptor()))
                .addService(service(SnapshotMetadataGrpc.getServiceDescriptor()))
                .build()
                .start();
    }

    private void reports() {
        on(
                "GetPluginInfo",
                (request, out) -> ok(
                        out,
                        GetPluginInfoResponse.newBuilder()
                                .setName("scripted.csi4j.io")
                                .setVendorVersion("1")
                                .build()));
        on(
                "GetPluginCapabilities",
                (request, out) -> ok(
                        out,
                        io.csi4j.proto.csi.v1.GetPluginCapabilitiesResponse.newBuilder()
                                .addCapabilities(PluginCapability.newBuilder()
                                        .setService(PluginCapability.Service.newBuilder()
                                                .setType(PluginCapability.Service.Type.CONTROLLER_SERVICE)))
                                .build()));
        on("ControllerGetCapabilities", (request, out) -> {
            var reported = io.csi4j.proto.csi.v1.ControllerGetCapabilitiesResponse.newBuilder();
            Stream.of(
                            ControllerServiceCapability.RPC.Type.PUBLISH_UNPUBLISH_VOLUME,
                            ControllerServiceCapability.RPC.Type.CREATE_DELETE_VOLUME,
                            ControllerServiceCapability.RPC.Type.LIST_VOLUMES)
                    .forEach(type -> reported.addCapabilities(ControllerServiceCapability.newBuilder()
                            .setRpc(ControllerServiceCapability.RPC.newBuilder().setType(type))));
            // One that no version knows yet.
            reported.addCapabilities(ControllerServiceCapability.newBuilder()
                    .setRpc(ControllerServiceCapability.RPC.newBuilder().setTypeValue(7_777)));
            ok(out, reported.build());
        });
        on("NodeGetCapabilities", (request, out) -> {
            var reported = io.csi4j.proto.csi.v1.NodeGetCapabilitiesResponse.newBuilder();
            Stream.of(
                            NodeServiceCapability.RPC.Type.GET_VOLUME_STATS,
                            NodeServiceCapability.RPC.Type.EXPAND_VOLUME,
                            NodeServiceCapability.RPC.Type.GET_VOLUME_HEALTH)
                    .forEach(type -> reported.addCapabilities(NodeServiceCapability.newBuilder()
                            .setRpc(NodeServiceCapability.RPC.newBuilder().setType(type))));
            ok(out, reported.build());
        });
        on(
                "NodeGetInfo",
                (request, out) -> ok(
                        out, NodeGetInfoResponse.newBuilder().setNodeId("ext-1").build()));
        on("ValidateVolumeCapabilities", (request, out) -> {
            var asked = (io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesRequest) request;
            ok(
                    out,
                    io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesResponse.newBuilder()
                            .setConfirmed(
                                    io.csi4j.proto.csi.v1.ValidateVolumeCapabilitiesResponse.Confirmed.newBuilder()
                                            .putAllVolumeContext(asked.getVolumeContextMap())
                                            .addAllVolumeCapabilities(asked.getVolumeCapabilitiesList())
                                            .putAllParameters(asked.getParametersMap()))
                            .build());
        });
    }

    void on(String rpc, Behaviour behaviour) {
        behaviours.put(rpc, behaviour);
    }

    /** What is asked again and again is not waited for. */
    Call next(String rpc) throws InterruptedException {
        while (true) {
            Call call = arrived.poll(20, TimeUnit.SECONDS);
            if (call == null) {
                throw new AssertionError("no call of " + rpc + " came, but " + calls);
            }
            if (call.rpc().equals(rpc)) {
                return call;
            }
        }
    }

    long count(String rpc) {
        return calls.stream().filter(call -> call.rpc().equals(rpc)).count();
    }

    static void ok(StreamObserver<Message> out, Message answer) {
        out.onNext(answer);
        out.onCompleted();
    }

    static void fail(StreamObserver<Message> out, Status status) {
        out.onError(status.asRuntimeException());
    }

    private ServerServiceDefinition service(ServiceDescriptor descriptor) {
        ServerServiceDefinition.Builder service = ServerServiceDefinition.builder(descriptor);
        descriptor.getMethods().forEach(method -> add(service, method));
        return service.build();
    }

    @SuppressWarnings("unchecked")
    private void add(ServerServiceDefinition.Builder service, MethodDescriptor<?, ?> described) {
        MethodDescriptor<Message, Message> method = (MethodDescriptor<Message, Message>) described;
        String rpc = method.getBareMethodName();
        Behaviour serve = (request, out) -> {
            Call call = new Call(rpc, request);
            calls.add(call);
            arrived.add(call);
            Behaviour behaviour = behaviours.get(rpc);
            if (behaviour == null) {
                ok(out, method.parseResponse(new java.io.ByteArrayInputStream(new byte[0])));
            } else {
                behaviour.answer(request, out);
            }
        };
        service.addMethod(
                method,
                method.getType() == MethodDescriptor.MethodType.UNARY
                        ? ServerCalls.asyncUnaryCall(serve::answer)
                        : ServerCalls.asyncServerStreamingCall(serve::answer));
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
}
