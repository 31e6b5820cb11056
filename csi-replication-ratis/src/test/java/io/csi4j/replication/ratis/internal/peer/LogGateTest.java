package io.csi4j.replication.ratis.internal.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.client.internal.socket.UnfinishedConnections;
import io.csi4j.core.internal.log.CauseLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.time.Clock;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.apache.ratis.thirdparty.io.netty.buffer.Unpooled;
import org.apache.ratis.thirdparty.io.netty.channel.ServerChannel;
import org.apache.ratis.thirdparty.io.netty.channel.embedded.EmbeddedChannel;
import org.apache.ratis.thirdparty.io.netty.channel.nio.NioEventLoopGroup;
import org.apache.ratis.thirdparty.io.netty.channel.socket.nio.NioServerSocketChannel;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class LogGateTest {
    private final UnfinishedConnections unfinished = UnfinishedConnections.ofProcess(
            new CauseLog(System.getLogger(LogGateTest.class.getName()), Clock.systemUTC()), Runnable::run);

    private static void pass(EmbeddedChannel channel, long seconds) {
        channel.advanceTimeBy(seconds, TimeUnit.SECONDS);
        channel.runScheduledPendingTasks();
    }

    @Test
    void connectionWithoutHandshakeIsClosed() {
        EmbeddedChannel connection = new EmbeddedChannel(new LogGate.Handshake(unfinished, true, loop -> {}));
        connection.freezeTime();
        connection.writeInbound(Unpooled.wrappedBuffer(new byte[100]));
        pass(connection, 9);
        assertThat(connection.isOpen()).isTrue();
        pass(connection, 2);
        assertThat(connection.isOpen()).isFalse();
        connection.releaseInbound();
    }

    @Test
    void acceptStopsAndResumes() throws Exception {
        NioEventLoopGroup threads = new NioEventLoopGroup(1);
        CompletableFuture<String> ended = new CompletableFuture<>();
        LogGate gate = new LogGate(unfinished, true, ended::complete);
        ServerChannel port = gate.before(NioServerSocketChannel::new).newChannel();
        try {
            threads.register(port).get(10, TimeUnit.SECONDS);
            port.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                    .get(10, TimeUnit.SECONDS);
            port.pipeline().fireExceptionCaught(new IOException("accept: Too many open files"));
            threads.submit(() -> assertThat(port.config().isAutoRead()).isFalse())
                    .get(10, TimeUnit.SECONDS);
            threads.schedule(() -> assertThat(port.config().isAutoRead()).isTrue(), 1500, TimeUnit.MILLISECONDS)
                    .get(10, TimeUnit.SECONDS);
            assertThat(ended).isNotDone();
        } finally {
            var unused = threads.shutdownGracefully(0, 5, TimeUnit.SECONDS);
        }
        // An end of the thread is reported, whatever its reason.
        assertThat(ended.get(10, TimeUnit.SECONDS)).isNotEmpty();
    }
}
