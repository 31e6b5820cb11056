package io.csi4j.agent.internal.wire;

import io.csi4j.client.internal.socket.UnfinishedConnections;
import io.grpc.netty.shaded.io.netty.buffer.ByteBuf;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelFactory;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandler;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ServerChannel;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Stands at a port, before gRPC. It keeps the limits of {@link UnfinishedConnections}. If the system cannot accept a
 * connection, it pauses and tries again.
 */
@ChannelHandler.Sharable
final class ConnectionGate extends ChannelInboundHandlerAdapter {
    /** The first bytes of a connection without TLS: HTTP/2 begins with 24 of them. */
    private static final int PREFACE = 24;

    private final UnfinishedConnections unfinished;
    private final boolean tls;

    ConnectionGate(UnfinishedConnections unfinished, boolean tls) {
        this.unfinished = unfinished;
        this.tls = tls;
    }

    /**
     * Returns a factory of channels with a gate.
     *
     * @param tls whether the connections have TLS; without it, the first bytes of HTTP/2 count as the handshake
     */
    static ChannelFactory<ServerChannel> before(
            ChannelFactory<ServerChannel> channels, UnfinishedConnections unfinished, boolean tls) {
        ConnectionGate gate = new ConnectionGate(unfinished, tls);
        return () -> {
            ServerChannel channel = channels.newChannel();
            channel.pipeline().addLast(gate);
            return channel;
        };
    }

    @Override
    public void channelRead(ChannelHandlerContext context, Object accepted) {
        ((Channel) accepted).pipeline().addFirst(new Handshake(unfinished, tls));
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
        private UnfinishedConnections.@Nullable Connection connection;
        private @Nullable Future<?> deadline;
        private boolean watched;
        private int bytes;

        Handshake(UnfinishedConnections unfinished, boolean tls) {
            this.unfinished = unfinished;
            this.tls = tls;
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
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
            } else if (tls && !watched) {
                watchTls(context);
            }
        }

        private void watchTls(ChannelHandlerContext context) {
            SslHandler handler = context.pipeline().get(SslHandler.class);
            if (handler != null) {
                watched = true;
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
