package io.csi4j.agent.internal.wire;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.internal.socket.UnfinishedConnections;
import io.csi4j.core.internal.log.CauseLog;
import io.grpc.netty.shaded.io.netty.buffer.Unpooled;
import io.grpc.netty.shaded.io.netty.channel.embedded.EmbeddedChannel;
import java.io.IOException;
import java.time.Clock;
import java.util.concurrent.TimeUnit;
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
}
