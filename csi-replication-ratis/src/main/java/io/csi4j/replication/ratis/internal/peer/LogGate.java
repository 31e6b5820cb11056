package io.csi4j.replication.ratis.internal.peer;

import io.csi4j.client.internal.socket.UnfinishedConnections;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.apache.ratis.thirdparty.io.netty.buffer.ByteBuf;
import org.apache.ratis.thirdparty.io.netty.channel.Channel;
import org.apache.ratis.thirdparty.io.netty.channel.ChannelFactory;
import org.apache.ratis.thirdparty.io.netty.channel.ChannelHandler;
import org.apache.ratis.thirdparty.io.netty.channel.ChannelHandlerContext;
import org.apache.ratis.thirdparty.io.netty.channel.ChannelInboundHandlerAdapter;
import org.apache.ratis.thirdparty.io.netty.channel.EventLoop;
import org.apache.ratis.thirdparty.io.netty.channel.ServerChannel;
import org.apache.ratis.thirdparty.io.netty.handler.ssl.SslHandler;
import org.apache.ratis.thirdparty.io.netty.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Stands at the port of the log, before gRPC. It keeps the limits of {@link UnfinishedConnections}. If the system cannot accept a
 * connection, it pauses and tries again. It also watches the threads of the port, which Ratis creates: a thread that ends
 * has left its connections, and the port if it is its own.
 */
@ChannelHandler.Sharable
final class LogGate extends ChannelInboundHandlerAdapter {
    /** The first bytes of a connection without TLS: HTTP/2 begins with 24 of them. */
    private static final int PREFACE = 24;

    private final UnfinishedConnections unfinished;
    private final boolean tls;
    private final Consumer<String> threadEnded;
    private final Set<EventLoop> watched = ConcurrentHashMap.newKeySet();

    /**
     * Creates a gate for one port.
     *
     * @param tls whether the connections have TLS; without it, the first bytes of HTTP/2 count as the handshake
     * @param threadEnded gets the name of a thread of the port that has ended
     */
    LogGate(UnfinishedConnections unfinished, boolean tls, Consumer<String> threadEnded) {
        this.unfinished = unfinished;
        this.tls = tls;
        this.threadEnded = threadEnded;
    }

    /** Returns a factory of channels with this gate. */
    ChannelFactory<ServerChannel> before(ChannelFactory<ServerChannel> channels) {
        return () -> {
            ServerChannel channel = channels.newChannel();
            channel.pipeline().addLast(this);
            return channel;
        };
    }

    @Override
    public void handlerAdded(ChannelHandlerContext context) {
        watch(context.channel().eventLoop());
    }

    private void watch(EventLoop loop) {
        if (watched.add(loop)) {
            var unused = loop.terminationFuture().addListener(ended -> threadEnded.accept(loop.toString()));
        }
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
        ((Channel) accepted).pipeline().addFirst(new Handshake(unfinished, tls, this::watch));
        context.fireChannelRead(accepted);
    }

    /** The system cannot accept a connection, most often because no descriptor is free. */
    @Override
    public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
        context.channel().config().setAutoRead(false);
        var unused = context.executor()
                .schedule(
                        () -> context.channel().config().setAutoRead(true),
                        UnfinishedConnections.PAUSE.toMillis(),
                        TimeUnit.MILLISECONDS);
        unfinished.notAccepted(cause);
    }

    /** Watches a connection until its handshake is finished, or the connection has ended. */
    static final class Handshake extends ChannelInboundHandlerAdapter {
        private final UnfinishedConnections unfinished;
        private final boolean tls;
        private final Consumer<EventLoop> loops;
        private UnfinishedConnections.@Nullable Connection connection;
        private @Nullable Future<?> deadline;
        private boolean watchesTls;
        private int bytes;

        Handshake(UnfinishedConnections unfinished, boolean tls, Consumer<EventLoop> loops) {
            this.unfinished = unfinished;
            this.tls = tls;
            this.loops = loops;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            loops.accept(context.channel().eventLoop());
            UnfinishedConnections.Connection entered =
                    unfinished.enter(context.channel().remoteAddress(), () -> {
                        var unused = context.close();
                    });
            connection = entered;
            deadline = context.executor()
                    .schedule(entered::late, UnfinishedConnections.TIME.toMillis(), TimeUnit.MILLISECONDS);
        }

        @Override
        public void handlerRemoved(ChannelHandlerContext context) {
            Objects.requireNonNull(deadline, "deadline").cancel(false);
            Objects.requireNonNull(connection, "connection").finished();
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            bytes += ((ByteBuf) message).readableBytes();
            context.fireChannelRead(message);
            if (!tls && bytes >= PREFACE) {
                finished(context);
            } else if (tls && !watchesTls) {
                watchTls(context);
            }
        }

        private void watchTls(ChannelHandlerContext context) {
            SslHandler handler = context.pipeline().get(SslHandler.class);
            if (handler != null) {
                watchesTls = true;
                var unused = handler.handshakeFuture().addListener(done -> {
                    if (done.isSuccess()) {
                        finished(context);
                    }
                });
            }
        }

        private void finished(ChannelHandlerContext context) {
            if (!context.isRemoved()) {
                context.pipeline().remove(this);
            }
        }
    }
}
