package io.csi4j.client.internal.socket;

import io.csi4j.client.Transport;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFactory;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.Function;

/**
 * An implementation of sockets (epoll, for example) and the I/O threads that all connections and servers with this implementation share. An
 * agent receives a call and calls its plugin on these threads, so a relayed call changes threads less often than with threads of its own.
 */
public final class IoKind {
    static {
        // Netty's jar cannot be a module, so it is on the class path of a modular program (compatibility.md).
        IoKind.class.getModule().addReads(IoKind.class.getClassLoader().getUnnamedModule());
    }

    static final IoKind EPOLL = new IoKind(
            IoThreads::epoll,
            path -> new DomainSocketAddress(path.toString()),
            EpollDomainSocketChannel::new,
            EpollSocketChannel::new,
            EpollServerDomainSocketChannel::new,
            EpollServerSocketChannel::new);

    static final IoKind NIO = new IoKind(
            IoThreads::nio,
            UnixDomainSocketAddress::of,
            NioDomainSocketChannel::new,
            NioSocketChannel::new,
            NioServerDomainSocketChannel::new,
            NioServerSocketChannel::new);

    private static final long STOP_SECONDS = 5;

    private final SharedResource<EventLoopGroup> group;
    private final Function<Path, SocketAddress> address;
    private final ChannelFactory<Channel> unix;
    private final ChannelFactory<Channel> tcp;
    private final ChannelFactory<ServerChannel> unixServer;
    private final ChannelFactory<ServerChannel> tcpServer;

    private IoKind(
            BiFunction<Integer, ThreadFactory, EventLoopGroup> threads,
            Function<Path, SocketAddress> address,
            ChannelFactory<Channel> unix,
            ChannelFactory<Channel> tcp,
            ChannelFactory<ServerChannel> unixServer,
            ChannelFactory<ServerChannel> tcpServer) {
        this.group =
                new SharedResource<>(() -> threads.apply(threadCount(), IoThread.factory("csi4j-io-")), IoKind::stop);
        this.address = address;
        this.unix = unix;
        this.tcp = tcp;
        this.unixServer = unixServer;
        this.tcpServer = tcpServer;
    }

    /**
     * Returns the number of I/O threads. One thread carries tens of thousands of calls a second; a few more keep the large responses of one
     * plugin from delaying another.
     */
    private static int threadCount() {
        return Math.max(1, Math.min(4, Runtime.getRuntime().availableProcessors() / 2));
    }

    private static void stop(EventLoopGroup group) {
        // Does not wait for the end of the threads, which are daemons without work.
        var unused = group.shutdownGracefully(0, STOP_SECONDS, TimeUnit.SECONDS);
    }

    /** Returns the implementation for this system. */
    public static IoKind of(Transport transport) {
        return switch (transport) {
            case AUTO -> Epoll.isAvailable() ? EPOLL : NIO;
            case NIO -> NIO;
            case EPOLL -> {
                if (!Epoll.isAvailable()) {
                    throw new IllegalArgumentException("transport: EPOLL is not available on this system ("
                            + rootText(Epoll.unavailabilityCause()) + "); use AUTO or NIO");
                }
                yield EPOLL;
            }
        };
    }

    private static String rootText(Throwable cause) {
        Throwable root = cause;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        return root.toString();
    }

    /** Returns a lease of the shared I/O threads. Their work must not block. */
    public SharedResource.Lease<EventLoopGroup> threads() {
        LogGuard.install();
        return group.lease();
    }

    public SocketAddress address(Path path) {
        return address.apply(path);
    }

    public ChannelFactory<Channel> unix() {
        return unix;
    }

    public ChannelFactory<Channel> tcp() {
        return tcp;
    }

    public ChannelFactory<ServerChannel> unixServer() {
        return unixServer;
    }

    public ChannelFactory<ServerChannel> tcpServer() {
        return tcpServer;
    }
}
