package io.csi4j.client.internal.socket;

import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.nio.NioEventLoopGroup;
import java.util.concurrent.ThreadFactory;

/**
 * Makes the I/O threads with the classes that the Netty in the program has. Before version 1.83, gRPC brings Netty 4.1,
 * whose threads cannot be extended: there, an {@link Error} on an I/O thread ends the thread.
 */
final class IoThreads {
    private static final boolean ENDLESS = has("MultiThreadIoEventLoopGroup");

    private IoThreads() {}

    @SuppressWarnings("deprecation") // Netty 4.1 has no other group.
    static EventLoopGroup epoll(int count, ThreadFactory factory) {
        return ENDLESS ? EndlessLoops.epoll(count, factory) : new EpollEventLoopGroup(count, factory);
    }

    @SuppressWarnings("deprecation") // Netty 4.1 has no other group.
    static EventLoopGroup nio(int count, ThreadFactory factory) {
        return ENDLESS ? EndlessLoops.nio(count, factory) : new NioEventLoopGroup(count, factory);
    }

    private static boolean has(String type) {
        try {
            Class.forName(EventLoopGroup.class.getPackageName() + "." + type, false, IoThreads.class.getClassLoader());
            return true;
        } catch (ClassNotFoundException e) {
            return false;
        }
    }
}
