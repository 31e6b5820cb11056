package io.csi4j.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.spi.VirtualTime;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ClientThreadsTest {
    private final VirtualTime time = VirtualTime.inOrder();
    private final ClientThreads threads = new ClientThreads(2, time.environment(new Random(1)));

    @AfterEach
    void end() {
        threads.shutdownNow();
    }

    /** A request whose client sends nothing; it completes when the connection is closed. */
    private CompletableFuture<Void> silentClient() throws Exception {
        CompletableFuture<Void> closed = new CompletableFuture<>();
        CountDownLatch began = new CountDownLatch(1);
        ServerSocketChannel server =
                ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
        SocketChannel client = SocketChannel.open(server.getLocalAddress());
        threads.execute(() -> {
            try (server;
                    client;
                    SocketChannel accepted = server.accept()) {
                began.countDown();
                accepted.read(ByteBuffer.allocate(1));
            } catch (IOException e) {
                closed.complete(null);
            }
        });
        assertThat(began.await(20, TimeUnit.SECONDS)).isTrue();
        return closed;
    }

    @Test
    void waitForRequestEndsAfterTimeLimit() throws Exception {
        CompletableFuture<Void> closed = silentClient();
        time.advance(ClientThreads.LIMIT.minusSeconds(1));
        assertThat(closed).isNotDone();
        time.advance(Duration.ofSeconds(1));
        closed.get(20, TimeUnit.SECONDS);
    }

    @Test
    void clientThatIsSlowestLosesItsConnectionWhenThreadsAreNeeded() throws Exception {
        CompletableFuture<Void> first = silentClient();
        CompletableFuture<Void> second = silentClient();
        CompletableFuture<Void> third = silentClient();
        first.get(20, TimeUnit.SECONDS);
        assertThat(second).isNotDone();
        assertThat(third).isNotDone();
    }

    @Test
    void requestThatIsCompleteKeepsItsThread() throws Exception {
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        CountDownLatch arrived = new CountDownLatch(1);
        CountDownLatch answered = new CountDownLatch(1);
        threads.execute(() -> {
            threads.arrived();
            arrived.countDown();
            try {
                answered.await();
                interrupted.complete(false);
            } catch (InterruptedException e) {
                interrupted.complete(true);
            }
        });
        arrived.await();
        CompletableFuture<Void> slow = silentClient();
        CompletableFuture<Void> slower = silentClient();
        slow.get(20, TimeUnit.SECONDS);
        time.advance(ClientThreads.LIMIT);
        slower.get(20, TimeUnit.SECONDS);
        answered.countDown();
        assertThat(interrupted.get(20, TimeUnit.SECONDS)).isFalse();
    }

    @Test
    void writeToClientThatDoesNotReadIsAbortedAfterTimeLimit() throws Exception {
        try (ServerSocketChannel server =
                        ServerSocketChannel.open().bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                SocketChannel client = SocketChannel.open(server.getLocalAddress());
                SocketChannel accepted = server.accept()) {
            CountDownLatch began = new CountDownLatch(1);
            CompletableFuture<Void> write = CompletableFuture.runAsync(() -> {
                try {
                    threads.run(() -> {
                        began.countDown();
                        while (true) {
                            accepted.write(ByteBuffer.allocate(1 << 20));
                        }
                    });
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThat(began.await(20, TimeUnit.SECONDS)).isTrue();
            time.advance(ClientThreads.LIMIT.minusSeconds(1));
            assertThat(write).isNotDone();
            time.advance(Duration.ofSeconds(1));
            assertThatThrownBy(() -> write.get(20, TimeUnit.SECONDS)).hasRootCauseInstanceOf(IOException.class);
            assertThat(client.isOpen()).isTrue();
            assertThat(accepted.isOpen()).isFalse();
        }
    }

    @Test
    void timeLimitOfFinishedWriteDoesNotInterruptThread() throws Exception {
        threads.run(() -> {});
        time.advance(ClientThreads.LIMIT.multipliedBy(2));
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
        assertThat(time.timers()).isZero();
    }
}
