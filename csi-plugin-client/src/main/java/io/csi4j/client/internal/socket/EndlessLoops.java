package io.csi4j.client.internal.socket;

import io.grpc.netty.shaded.io.netty.channel.EventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.IoEventLoop;
import io.grpc.netty.shaded.io.netty.channel.IoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.IoHandlerFactory;
import io.grpc.netty.shaded.io.netty.channel.MultiThreadIoEventLoopGroup;
import io.grpc.netty.shaded.io.netty.channel.SingleThreadIoEventLoop;
import io.grpc.netty.shaded.io.netty.channel.epoll.EpollIoHandler;
import io.grpc.netty.shaded.io.netty.channel.nio.NioIoHandler;
import java.util.concurrent.Executor;
import java.util.concurrent.ThreadFactory;

/**
 * The I/O threads. A thread of Netty ends for good if code on it throws an {@link Error}, or if a logger throws while
 * Netty reports an exception, for example because no descriptor is free to load a class or to open a file; all its
 * connections are dead then. These threads report the failure and go on with their connections.
 */
final class EndlessLoops extends MultiThreadIoEventLoopGroup {
    private static final LoopFailures FAILURES = new LoopFailures();

    private EndlessLoops(int threads, ThreadFactory factory, IoHandlerFactory handlers) {
        super(threads, factory, handlers);
    }

    static EventLoopGroup epoll(int threads, ThreadFactory factory) {
        return new EndlessLoops(threads, factory, EpollIoHandler.newFactory());
    }

    static EventLoopGroup nio(int threads, ThreadFactory factory) {
        return new EndlessLoops(threads, factory, NioIoHandler.newFactory());
    }

    @Override
    protected IoEventLoop newChild(Executor executor, IoHandlerFactory handlers, Object... more) {
        return new Loop(this, executor, handlers);
    }

    private static final class Loop extends SingleThreadIoEventLoop {
        Loop(IoEventLoopGroup parent, Executor executor, IoHandlerFactory handlers) {
            super(parent, executor, handlers);
        }

        @Override
        protected void run() {
            boolean ended = false;
            while (!ended) {
                try {
                    super.run();
                    ended = true;
                } catch (Throwable failure) {
                    FAILURES.survived(failure);
                }
            }
        }
    }
}
