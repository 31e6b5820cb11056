package io.csi4j.agent.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.internal.socket.UnfinishedConnections;
import io.csi4j.core.internal.log.CauseLog;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.Channel;
import io.grpc.netty.shaded.io.netty.channel.ChannelHandlerContext;
import io.grpc.netty.shaded.io.netty.channel.ChannelInboundHandlerAdapter;
import io.grpc.netty.shaded.io.netty.channel.ChannelPromise;
import io.grpc.netty.shaded.io.netty.channel.embedded.EmbeddedChannel;
import io.grpc.netty.shaded.io.netty.handler.ssl.SslHandler;
import io.grpc.netty.shaded.io.netty.util.ReferenceCountUtil;
import io.grpc.netty.shaded.io.netty.util.concurrent.DefaultPromise;
import io.grpc.netty.shaded.io.netty.util.concurrent.Future;
import io.grpc.netty.shaded.io.netty.util.concurrent.ImmediateEventExecutor;
import io.grpc.netty.shaded.io.netty.util.concurrent.Promise;
import java.io.IOException;
import java.security.NoSuchAlgorithmException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.logging.Filter;
import java.util.logging.Logger;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLHandshakeException;
import org.junit.jupiter.api.Test;

class ConnectionGateTest {
    private final UnfinishedConnections unfinished = UnfinishedConnections.ofProcess(
            new CauseLog(System.getLogger(ConnectionGateTest.class.getName()), Clock.systemUTC()), Runnable::run);

    private EmbeddedChannel connection(boolean tls) {
        EmbeddedChannel connection = new EmbeddedChannel(new ConnectionGate.Handshake(unfinished, tls));
        connection.freezeTime();
        return connection;
    }

    private static void pass(EmbeddedChannel connection, long seconds) {
        connection.advanceTimeBy(seconds, TimeUnit.SECONDS);
        connection.runScheduledPendingTasks();
    }

    @Test
    void idleConnectionIsClosed() {
        for (boolean tls : new boolean[] {true, false}) {
            EmbeddedChannel connection = connection(tls);
            pass(connection, 9);
            assertThat(connection.isOpen()).isTrue();
            pass(connection, 2);
            assertThat(connection.isOpen()).isFalse();
        }
    }

    /** A byte now and then is no handshake. */
    @Test
    void slowConnectionIsClosed() {
        EmbeddedChannel connection = connection(false);
        for (int i = 0; i < 10; i++) {
            connection.writeInbound(Unpooled.wrappedBuffer(new byte[1]));
            pass(connection, 1);
        }
        assertThat(connection.isOpen()).isFalse();
        connection.releaseInbound();
    }

    @Test
    void bytesWithoutTlsAreNoHandshakeOnAPortWithTls() {
        EmbeddedChannel connection = connection(true);
        connection.writeInbound(Unpooled.wrappedBuffer(new byte[100]));
        pass(connection, 11);
        assertThat(connection.isOpen()).isFalse();
        connection.releaseInbound();
    }

    @Test
    void connectionThatSpeaksHttp2IsNotLimited() {
        EmbeddedChannel connection = connection(false);
        connection.writeInbound(Unpooled.wrappedBuffer(new byte[24]));
        pass(connection, 60);
        assertThat(connection.isOpen()).isTrue();
        connection.finishAndReleaseAll();
    }

    /** As when no descriptor is free. */
    @Test
    void acceptStopsAndResumes() {
        EmbeddedChannel port = new EmbeddedChannel(new ConnectionGate(unfinished, true));
        port.freezeTime();
        port.pipeline().fireExceptionCaught(new IOException("accept: Too many open files"));
        assertThat(port.config().isAutoRead()).isFalse();
        pass(port, 2);
        assertThat(port.config().isAutoRead()).isTrue();
        // It reached no handler that would log each of them.
        port.checkException();
    }

    @Test
    void acceptedConnectionIsWatchedBeforeAnythingElse() {
        EmbeddedChannel port = new EmbeddedChannel(new ConnectionGate(unfinished, false));
        EmbeddedChannel accepted = new EmbeddedChannel(new ChannelInboundHandlerAdapter());
        accepted.freezeTime();
        port.writeInbound(accepted);
        assertThat(port.<Object>readInbound()).isSameAs(accepted);
        assertThat(accepted.pipeline().first()).isInstanceOf(ConnectionGate.Handshake.class);
        pass(accepted, 11);
        assertThat(accepted.isOpen()).isFalse();
    }

    @Test
    void finishedHandshakeOfTlsEndsTheLimitAndFailedOneDoesNot() throws Exception {
        for (boolean succeeds : new boolean[] {true, false}) {
            EmbeddedChannel connection = connection(true);
            Tls tls = new Tls();
            connection.pipeline().addLast(tls);
            connection.writeInbound(Unpooled.wrappedBuffer(new byte[100]));
            if (succeeds) {
                var unused = tls.handshake.setSuccess(connection);
            } else {
                var unused = tls.handshake.setFailure(new SSLHandshakeException("planned"));
            }
            pass(connection, 11);
            assertThat(connection.isOpen()).isEqualTo(succeeds);
        }
    }

    /** Connections that have finished their handshake are not closed in favour of later ones. */
    @Test
    void finishedConnectionsAreNotCounted() {
        List<EmbeddedChannel> connections = new ArrayList<>();
        for (int i = 0; i < 1_100; i++) {
            EmbeddedChannel connection = connection(false);
            connection.writeInbound(Unpooled.wrappedBuffer(new byte[24]));
            connections.add(connection);
        }
        connections.add(connection(false));
        assertThat(connections).allMatch(EmbeddedChannel::isOpen);
        connections.forEach(EmbeddedChannel::finishAndReleaseAll);
    }

    @Test
    void failedAcceptIsReported() {
        Logger log = Logger.getLogger(ConnectionGateTest.class.getName());
        List<String> lines = new ArrayList<>();
        Filter recorder = entry -> {
            lines.add(entry.getMessage());
            return false;
        };
        log.setFilter(recorder);
        try {
            EmbeddedChannel port = new EmbeddedChannel(new ConnectionGate(unfinished, true));
            port.pipeline().fireExceptionCaught(new IOException("accept: Too many open files"));
        } finally {
            log.setFilter(null);
        }
        assertThat(lines)
                .singleElement()
                .asString()
                .contains("accept: Too many open files", "raise the number of files");
    }

    /** Stands for TLS, with a handshake that the test ends. */
    private static final class Tls extends SslHandler {
        private final Promise<Channel> handshake = new DefaultPromise<>(ImmediateEventExecutor.INSTANCE);

        Tls() throws NoSuchAlgorithmException {
            super(SSLContext.getDefault().createSSLEngine());
        }

        @Override
        public Future<Channel> handshakeFuture() {
            return handshake;
        }

        @Override
        public void channelActive(ChannelHandlerContext context) {
            // Begins no handshake.
        }

        @Override
        public void handlerAdded(ChannelHandlerContext context) {
            // Begins no handshake.
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object bytes) {
            ReferenceCountUtil.release(bytes);
        }

        @Override
        public void close(ChannelHandlerContext context, ChannelPromise done) {
            var unused = context.close(done);
        }
    }
}
