package io.csi4j.agent.internal.wire;

import io.csi4j.client.Endpoint;
import io.csi4j.client.internal.socket.UnfinishedConnections;
import io.csi4j.core.internal.file.ServerSocketFile;
import io.grpc.BindableService;
import io.grpc.Server;
import io.grpc.netty.shaded.io.grpc.netty.NettyServerBuilder;
import io.grpc.netty.shaded.io.netty.channel.ChannelOption;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/** Serves one service on one socket or address. */
public final class WireServer implements AutoCloseable {
    /** The interval at which a client checks whether a network connection with calls in flight is still alive. */
    public static final long KEEP_ALIVE_SECONDS = 20;

    /** The calls in flight on one connection. More of them wait in the client, as HTTP/2 asks; an agent waits for one claim with each. */
    private static final int MAX_CALLS = 10_000;
    /**
     * The calls that a connection may reset in {@value #RESET_SECONDS} seconds. A client that resets more is disconnected: each reset call
     * costs the server more than the client. A cancelled call is one reset, and a peer that stops closes its connection instead.
     */
    private static final int MAX_RESETS = 1_000;

    private static final int RESET_SECONDS = 10;

    private final Server server;
    private final Runnable cleanUp;

    private WireServer(Server server, Runnable cleanUp) {
        this.server = server;
        this.cleanUp = cleanUp;
    }

    /**
     * Starts the server.
     *
     * @param listen the address; a Unix socket's directory has to be private
     * @param peers identifies the callers
     * @param listener receives their connections
     * @param executor runs the service
     * @throws IOException if the address is in use, or cannot be used
     */
    public static WireServer start(
            WireContext wire,
            Endpoint listen,
            PeerInterceptor peers,
            PeerListener listener,
            BindableService service,
            Executor executor)
            throws IOException {
        Path path = listen.path().orElse(null);
        UnfinishedConnections unfinished = UnfinishedConnections.ofProcess(wire.causes(), executor);
        NettyServerBuilder builder = path == null ? tcp(wire, listen, unfinished) : unix(wire, path, unfinished);
        Server server = builder.bossEventLoopGroup(wire.threads().group())
                .workerEventLoopGroup(wire.threads().group())
                .executor(executor)
                .maxConcurrentCallsPerConnection(MAX_CALLS)
                .maxRstFramesPerWindow(MAX_RESETS, RESET_SECONDS)
                .maxInboundMessageSize(wire.maxInboundMessageSize())
                .intercept(peers)
                .addTransportFilter(new PeerConnections(peers, listener, wire.causes()))
                .addService(service)
                .build();
        return path == null ? new WireServer(server.start(), () -> {}) : unix(server, ServerSocketFile.prepare(path));
    }

    private static NettyServerBuilder unix(WireContext wire, Path path, UnfinishedConnections unfinished) {
        return NettyServerBuilder.forAddress(wire.threads().io().address(path))
                .channelFactory(ConnectionGate.before(wire.threads().io().unixServer(), unfinished, false))
                .withChildOption(ChannelOption.SO_KEEPALIVE, null);
    }

    private static WireServer unix(Server server, ServerSocketFile socket) throws IOException {
        server.start();
        try {
            socket.bound();
        } catch (IOException unprotected) {
            server.shutdownNow();
            throw unprotected;
        }
        return new WireServer(server, socket::remove);
    }

    private static NettyServerBuilder tcp(WireContext wire, Endpoint listen, UnfinishedConnections unfinished) {
        String authority = listen.authority().orElseThrow();
        int colon = authority.lastIndexOf(':');
        String host = authority.substring(0, colon).replace("[", "").replace("]", "");
        NettyServerBuilder builder = NettyServerBuilder.forAddress(
                        new InetSocketAddress(host, Integer.parseInt(authority.substring(colon + 1))))
                .channelFactory(ConnectionGate.before(
                        wire.threads().io().tcpServer(),
                        unfinished,
                        listen.tls().isPresent()))
                .permitKeepAliveTime(KEEP_ALIVE_SECONDS / 2, TimeUnit.SECONDS);
        if (listen.tls().isPresent()) {
            builder.sslContext(wire.identity(listen.tls().get()).serverContext());
        }
        return builder;
    }

    /** Rejects new calls and ends the calls in flight. Does not wait for their end. */
    @Override
    public void close() {
        server.shutdownNow();
        cleanUp.run();
    }
}
