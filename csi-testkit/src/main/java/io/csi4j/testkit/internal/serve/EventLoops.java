package io.csi4j.testkit.internal.serve;

import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/** The threads of one server: with epoll where available, otherwise with NIO. */
record EventLoops(EventLoopGroup group, boolean epoll) implements AutoCloseable {
    /** Tests turn epoll off with the system property {@code csi4j.fake.transport=nio}. */
    private static final boolean NIO_ONLY = "nio".equals(System.getProperty("csi4j.fake.transport"));

    private static final int THREADS = 2;

    static EventLoops open() {
        boolean epoll = !NIO_ONLY && Epoll.isAvailable();
        IoHandlerFactory handlers = epoll ? EpollIoHandler.newFactory() : NioIoHandler.newFactory();
        return new EventLoops(
                new MultiThreadIoEventLoopGroup(THREADS, new DefaultThreadFactory("csi4j-fake-plugin", true), handlers),
                epoll);
    }

    Class<? extends ServerChannel> serverChannel() {
        return epoll ? EpollServerDomainSocketChannel.class : NioServerDomainSocketChannel.class;
    }

    SocketAddress address(Path path) {
        return epoll ? new DomainSocketAddress(path.toFile()) : UnixDomainSocketAddress.of(path);
    }

    @Override
    public void close() {
        group.shutdownGracefully(0, 1, TimeUnit.SECONDS).awaitUninterruptibly(2, TimeUnit.SECONDS);
    }
}
