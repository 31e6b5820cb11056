package io.csi4j.client;

import com.google.protobuf.ByteString;
import com.google.protobuf.MessageLite;
import io.grpc.Attributes;
import io.grpc.Context;
import io.grpc.Deadline;
import io.grpc.HandlerRegistry;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.Server;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerTransportFilter;
import io.grpc.Status;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslContext;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** A real gRPC server on a real socket that handles each call as bytes, with the behaviour that a test sets. It has no CSI types. */
final class PluginServer implements AutoCloseable {
    /** The behaviour for a call that was accepted and whose request was read. */
    interface Behaviour {
        void answer(Call call);
    }

    /** A call at the server; {@code timeout} is the remaining deadline that the client sent. */
    record Call(String rpc, ByteString request, Duration timeout, ServerCall<byte[], byte[]> wire) {
        void send(byte[] message) {
            wire.sendMessage(message);
        }

        void headers() {
            wire.sendHeaders(new Metadata());
        }

        void end(Status status) {
            wire.close(status, new Metadata());
        }

        void ok(byte[] message) {
            headers();
            send(message);
            end(Status.OK);
        }

        void ok(MessageLite message) {
            ok(message.toByteArray());
        }
    }

    private static final MethodDescriptor.Marshaller<byte[]> BYTES = new MethodDescriptor.Marshaller<>() {
        @Override
        public InputStream stream(byte[] value) {
            return new ByteArrayInputStream(value);
        }

        @Override
        public byte[] parse(InputStream stream) {
            try {
                return stream.readAllBytes();
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
    };

    @SuppressWarnings("deprecation") // Netty 4.1 has no other.
    private final EventLoopGroup threads = new EpollEventLoopGroup(1, new DefaultThreadFactory("test-plugin", true));

    private final Server server;
    private final BlockingQueue<Call> arrived = new LinkedBlockingQueue<>();
    private final BlockingQueue<Call> cancelled = new LinkedBlockingQueue<>();
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicInteger connections = new AtomicInteger();
    private volatile Behaviour behaviour;

    private PluginServer(
            SocketAddress address,
            Class<? extends ServerChannel> channel,
            @Nullable SslContext tls,
            Behaviour behaviour)
            throws IOException {
        this.behaviour = behaviour;
        NettyServerBuilder builder = NettyServerBuilder.forAddress(address)
                .channelType(channel)
                .withChildOption(ChannelOption.SO_KEEPALIVE, null)
                .bossEventLoopGroup(threads)
                .workerEventLoopGroup(threads)
                .maxInboundMessageSize(64 << 20)
                .fallbackHandlerRegistry(new HandlerRegistry() {
                    @Override
                    public ServerMethodDefinition<?, ?> lookupMethod(String name, String authority) {
                        return method(name);
                    }
                });
        builder.addTransportFilter(new ServerTransportFilter() {
            @Override
            public Attributes transportReady(Attributes attributes) {
                connections.incrementAndGet();
                return attributes;
            }
        });
        if (tls != null) {
            builder.sslContext(tls);
        }
        this.server = builder.build().start();
    }

    static PluginServer start(Path socket, Behaviour behaviour) throws IOException {
        return new PluginServer(
                new DomainSocketAddress(socket.toString()), EpollServerDomainSocketChannel.class, null, behaviour);
    }

    /** Starts a server on a free port of the loopback address; without TLS if {@code tls} is null. */
    static PluginServer startTcp(@Nullable SslContext tls, Behaviour behaviour) throws IOException {
        return startTcp(0, tls, behaviour);
    }

    static PluginServer startTcp(int port, @Nullable SslContext tls, Behaviour behaviour) throws IOException {
        return new PluginServer(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), port),
                EpollServerSocketChannel.class,
                tls,
                behaviour);
    }

    int port() {
        return server.getPort();
    }

    private ServerMethodDefinition<byte[], byte[]> method(String name) {
        MethodDescriptor<byte[], byte[]> descriptor = MethodDescriptor.newBuilder(BYTES, BYTES)
                .setFullMethodName(name)
                .setType(MethodDescriptor.MethodType.SERVER_STREAMING)
                .build();
        ServerCallHandler<byte[], byte[]> handler = (wire, headers) -> {
            wire.request(1);
            Deadline deadline = Context.current().getDeadline();
            Duration timeout =
                    Duration.ofNanos(deadline == null ? Long.MAX_VALUE : deadline.timeRemaining(TimeUnit.NANOSECONDS));
            return new ServerCall.Listener<>() {
                private Call call;

                @Override
                public void onMessage(byte[] request) {
                    call = new Call(descriptor.getBareMethodName(), ByteString.copyFrom(request), timeout, wire);
                }

                @Override
                public void onHalfClose() {
                    count.incrementAndGet();
                    // Read first, because a test may set another behaviour as soon as the call has arrived.
                    Behaviour atArrival = behaviour;
                    arrived.add(call);
                    atArrival.answer(call);
                }

                @Override
                public void onCancel() {
                    if (call != null) {
                        cancelled.add(call);
                    }
                }
            };
        };
        return ServerMethodDefinition.create(descriptor, handler);
    }

    void behave(Behaviour other) {
        behaviour = other;
    }

    /** Returns the number of received calls. */
    int calls() {
        return count.get();
    }

    /** Returns the number of accepted connections. */
    int connections() {
        return connections.get();
    }

    /** Returns the next received call, in the order of arrival. */
    Call next() throws InterruptedException {
        return taken(arrived.poll(20, TimeUnit.SECONDS), "no call came");
    }

    /** Returns the next call that the client has cancelled. */
    Call nextCancelled() throws InterruptedException {
        return taken(cancelled.poll(20, TimeUnit.SECONDS), "no call was cancelled");
    }

    private static Call taken(Call call, String problem) {
        if (call == null) {
            throw new AssertionError(problem);
        }
        return call;
    }

    /** Ends the server at once, without waiting for calls in flight. */
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
