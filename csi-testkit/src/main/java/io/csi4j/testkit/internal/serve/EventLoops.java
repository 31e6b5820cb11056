package io.csi4j.testkit.internal.serve;

import io.grpc.netty.shaded.io.netty.channel.ChannelFactory;
import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.channel.epoll.Epoll;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.socket.nio.NioServerDomainSocketChannel;
import io.grpc.netty.shaded.io.netty.channel.unix.DomainSocketAddress;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultThreadFactory;
import io.grpc.netty.shaded.io.netty.util.concurrent.EventExecutor;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The threads of all servers in this process, with epoll where available, otherwise with NIO. They end with the last server.
 */
final class EventLoops implements AutoCloseable {
    /** Tests turn epoll off with the system property {@code csi4j.fake.transport=nio}. */
    private static final boolean NIO_ONLY = "nio".equals(System.getProperty("csi4j.fake.transport"));

    private static final int THREADS = 2;

    private static @Nullable EventLoops shared;

    private final EventLoopGroup group;
    private final List<EventExecutor> each = new ArrayList<>();
    private final boolean epoll;
    /** The number of servers; guarded by the class. */
    private int users;

    @SuppressWarnings("deprecation") // Netty 4.1, which older versions of gRPC bring, has no other groups.
    private EventLoops() {
        epoll = !NIO_ONLY && Epoll.isAvailable();
        ThreadFactory threads = new DefaultThreadFactory("csi4j-fake-plugin", true);
        group = epoll ? new EpollEventLoopGroup(THREADS, threads) : new NioEventLoopGroup(THREADS, threads);
        group.forEach(each::add);
    }

    /** Returns the shared threads; each user closes them once. */
    static EventLoops open() {
        synchronized (EventLoops.class) {
            EventLoops loops = shared;
            if (loops == null) {
                loops = new EventLoops();
                shared = loops;
            }
            loops.users++;
            return loops;
        }
    }

    EventLoopGroup group() {
        return group;
    }

    ChannelFactory<ServerChannel> serverChannels(Connections connections) {
        return () -> {
            ServerChannel channel = epoll ? new EpollServerDomainSocketChannel() : new NioServerDomainSocketChannel();
            channel.pipeline().addLast(connections);
            return channel;
        };
    }

    SocketAddress address(Path path) {
        return epoll ? new DomainSocketAddress(path.toFile()) : UnixDomainSocketAddress.of(path);
    }

    /**
     * Runs a task. If the current thread belongs to an event loop, the task runs after the work that the loop has
     * begun; otherwise it runs at once.
     */
    void afterReading(Runnable task) {
        for (EventExecutor loop : each) {
            if (loop.inEventLoop()) {
                loop.execute(task);
                return;
            }
        }
        task.run();
    }

    @Override
    public void close() {
        synchronized (EventLoops.class) {
            if (--users == 0) {
                shared = null;
                var unused = group.shutdownGracefully(0, 1, TimeUnit.SECONDS);
            }
        }
    }
}
