package io.csi4j.agent.internal.wire;

import io.csi4j.client.IoThreads;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The network threads of one server, gateway or agent, and the implementation of sockets (epoll, for example) that they use. */
public final class WireThreads implements AutoCloseable {
    private static final int THREADS = 2;
    /**
     * The time for which the network threads continue after close, so that calls in flight can still report their end.
     */
    private static final long QUIET_MILLIS = 200;

    private static final long STOP_MILLIS = 5_000;

    private final boolean epoll = Epoll.isAvailable();
    private final EventLoopGroup group = new MultiThreadIoEventLoopGroup(
            THREADS,
            IoThreads.factory("csi4j-agent-io-"),
            epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory());

    public EventLoopGroup group() {
        return group;
    }

    public SocketAddress address(Path socket) {
        return epoll ? new DomainSocketAddress(socket.toString()) : UnixDomainSocketAddress.of(socket);
    }

    public Class<? extends Channel> unixChannel() {
        return epoll ? EpollDomainSocketChannel.class : NioDomainSocketChannel.class;
    }

    public Class<? extends Channel> tcpChannel() {
        return epoll ? EpollSocketChannel.class : NioSocketChannel.class;
    }

    public Class<? extends ServerChannel> unixServer() {
        return epoll ? EpollServerDomainSocketChannel.class : NioServerDomainSocketChannel.class;
    }

    public Class<? extends ServerChannel> tcpServer() {
        return epoll ? EpollServerSocketChannel.class : NioServerSocketChannel.class;
    }

    /** Runs a task after a delay, unless the threads have ended. */
    public void after(Duration pause, Runnable task) {
        var unused = group.schedule(task, pause.toMillis(), TimeUnit.MILLISECONDS);
    }

    /** Returns a future that completes when the threads have ended; all sockets are closed then. */
    public CompletableFuture<@Nullable Void> ended() {
        CompletableFuture<@Nullable Void> ended = new CompletableFuture<>();
        var unused = group.terminationFuture().addListener(done -> ended.complete(null));
        return ended;
    }

    @Override
    public void close() {
        // Does not wait for the end of the threads, because they are daemons.
        var unused = group.shutdownGracefully(QUIET_MILLIS, STOP_MILLIS, TimeUnit.MILLISECONDS);
    }
}
