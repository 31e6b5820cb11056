package io.csi4j.agent;

import com.google.protobuf.Message;
import io.csi4j.proto.agent.v1.AgentGrpc;
import io.csi4j.proto.agent.v1.AgentProto.AgentAnswer;
import io.csi4j.proto.agent.v1.AgentProto.AgentCall;
import io.csi4j.proto.agent.v1.AgentProto.Version;
import io.grpc.CallOptions;
import io.grpc.ManagedChannel;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerServiceDefinition;
import io.grpc.netty.shaded.io.grpc.netty.NettyChannelBuilder;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.stub.ClientCalls;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The other side of the agent's protocol, in hand-made messages. */
final class RawPeer implements AutoCloseable {
    static final Version VERSION = Version.newBuilder().setMajor(1).build();

    @SuppressWarnings("deprecation") // Netty 4.1 has no other.
    private final EventLoopGroup threads = new EpollEventLoopGroup(1, new DefaultThreadFactory("raw-peer", true));

    private ManagedChannel channel;
    private Server server;

    /** Calls whoever serves a socket. */
    static RawPeer calling(Path socket) {
        RawPeer peer = new RawPeer();
        peer.channel = NettyChannelBuilder.forAddress(new DomainSocketAddress(socket.toString()))
                .channelFactory(EpollDomainSocketChannel::new)
                .withOption(ChannelOption.SO_KEEPALIVE, null)
                .eventLoopGroup(peer.threads)
                .overrideAuthority("localhost")
                .usePlaintext()
                .build();
        return peer;
    }

    /** Serves a socket in the place of an agent or a server. */
    static RawPeer serving(Path socket, ServerServiceDefinition service) throws IOException {
        RawPeer peer = new RawPeer();
        Files.createDirectories(socket.getParent());
        peer.server = NettyServerBuilder.forAddress(new DomainSocketAddress(socket.toString()))
                .channelType(EpollServerDomainSocketChannel.class)
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .bossEventLoopGroup(peer.threads)
                .workerEventLoopGroup(peer.threads)
                .addService(service)
                .build()
                .start();
        return peer;
    }

    <Q extends Message, A extends Message> A call(MethodDescriptor<Q, A> method, Q request) {
        return ClientCalls.blockingUnaryCall(
                channel, method, CallOptions.DEFAULT.withDeadlineAfter(40, TimeUnit.SECONDS), request);
    }

    AgentAnswer call(AgentCall.Builder call) {
        if (!call.hasVersion()) {
            call.setVersion(VERSION);
        }
        if (call.getNodeId().isEmpty()) {
            call.setNodeId(Ground.NODE.value());
        }
        return call(AgentGrpc.getCallMethod(), call.build());
    }

    @Override
    public void close() {
        try {
            if (channel != null) {
                channel.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
            }
            if (server != null) {
                server.shutdownNow().awaitTermination(10, TimeUnit.SECONDS);
            }
            threads.shutdownGracefully(0, 5, TimeUnit.SECONDS).await(10, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError(e);
        }
    }
}
