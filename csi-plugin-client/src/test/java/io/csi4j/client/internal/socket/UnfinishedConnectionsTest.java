package io.csi4j.client.internal.socket;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.internal.log.CauseLog;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnixDomainSocketAddress;
import java.net.UnknownHostException;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class UnfinishedConnectionsTest {
    private final CauseLog causes =
            new CauseLog(System.getLogger(UnfinishedConnectionsTest.class.getName()), Clock.systemUTC());
    /** 16 in all, 4 of one address. */
    private final UnfinishedConnections unfinished = new UnfinishedConnections(100, causes, Runnable::run);

    private final List<Integer> closed = new ArrayList<>();

    private UnfinishedConnections.Connection enter(String address, int number) throws UnknownHostException {
        return unfinished.enter(
                new InetSocketAddress(InetAddress.getByName(address), number), () -> closed.add(number));
    }

    /** Returns the lines of the log that a task writes. */
    private static List<String> linesOf(Runnable task) {
        List<String> lines = new ArrayList<>();
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                lines.add(line.getMessage());
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(UnfinishedConnectionsTest.class.getName());
        logger.addHandler(handler);
        try {
            task.run();
        } finally {
            logger.removeHandler(handler);
        }
        return lines;
    }

    @Test
    void closedConnectionIsReportedWithItsAddress() throws Exception {
        var late = enter("10.0.0.7", 7);
        assertThat(linesOf(late::late))
                .singleElement()
                .asString()
                .startsWith("A connection from 10.0.0.7 is closed: it has not proved in 10 s");
        assertThat(closed).containsExactly(7);
        SocketAddress socket = UnixDomainSocketAddress.of("/run/csi.sock");
        assertThat(linesOf(() -> {
                    for (int i = 0; i < 17; i++) {
                        unfinished.enter(socket, () -> {});
                    }
                }))
                .singleElement()
                .asString()
                .startsWith("A connection from 10.0.0.7 is closed: too many connections")
                .contains("(limit 16 in all, 4 of one address)");
        causes.overAll();
        assertThat(linesOf(unfinished.enter(InetSocketAddress.createUnresolved("h", 1), () -> {})::late))
                .singleElement()
                .asString()
                .startsWith("A connection from a socket of this machine is closed: it has not");
        assertThat(linesOf(() -> unfinished.notAccepted(new IOException("too many open files"))))
                .singleElement()
                .asString()
                .contains("tried again every 1 s: java.io.IOException: too many open files");
    }

    @Test
    void limitHoldsAfterTheExecutorOfTheLogIsClosed() {
        UnfinishedConnections silent = new UnfinishedConnections(100, causes, line -> {
            throw new RejectedExecutionException("closed");
        });
        for (int i = 1; i <= 17; i++) {
            int number = i;
            silent.enter(UnixDomainSocketAddress.of("/run/csi.sock"), () -> closed.add(number));
        }
        assertThat(closed).containsExactly(1);
    }

    private static List<Integer> numbers(int first, int last) {
        return IntStream.rangeClosed(first, last).boxed().toList();
    }

    @Test
    void oldestOfAnAddressGivesWay() throws Exception {
        enter("10.0.0.2", 100);
        for (int i = 1; i <= 10; i++) {
            enter("10.0.0.1", i);
        }
        assertThat(closed).isEqualTo(numbers(1, 6));
        assertThat(unfinished.count()).isEqualTo(5);
    }

    @Test
    void oldestOfAllGivesWay() throws Exception {
        for (int i = 1; i <= 30; i++) {
            enter("10.0.0." + i, i);
        }
        assertThat(closed).isEqualTo(numbers(1, 14));
        assertThat(unfinished.count()).isEqualTo(16);
    }

    @Test
    void finishedConnectionIsNeitherCountedNorClosed() throws Exception {
        for (int i = 1; i <= 50; i++) {
            var connection = enter("10.0.0.1", i);
            connection.finished();
            connection.finished();
        }
        assertThat(closed).isEmpty();
        assertThat(unfinished.count()).isZero();
    }

    @Test
    void addressesOfOneIpv6NetworkAreOne() throws Exception {
        for (int i = 1; i <= 10; i++) {
            enter("2001:db8:0:1::" + i, i);
        }
        enter("2001:db8:0:2::1", 100);
        assertThat(closed).isEqualTo(numbers(1, 6));
    }

    @Test
    void socketOfThisMachineHasTheLimitInAllOnly() {
        SocketAddress socket = UnixDomainSocketAddress.of("/run/csi.sock");
        for (int i = 1; i <= 17; i++) {
            int number = i;
            unfinished.enter(socket, () -> closed.add(number));
        }
        assertThat(closed).containsExactly(1);
    }

    @Test
    void limitsFollowTheDescriptorsOfTheProcess() {
        assertThat(limitOf(64)).isEqualTo(16);
        assertThat(limitOf(256)).isEqualTo(32);
        assertThat(limitOf(1024)).isEqualTo(128);
        assertThat(limitOf(Long.MAX_VALUE)).isEqualTo(1024);
        String limits = """
                Max core file size        0                    unlimited            bytes
                Max open files            1024                 524288               files
                """;
        assertThat(UnfinishedConnections.limitIn(limits)).isEqualTo(1024);
        assertThat(UnfinishedConnections.limitIn("Max open files            unlimited            unlimited     files"))
                .isEqualTo(Long.MAX_VALUE);
    }

    private int limitOf(long descriptors) {
        UnfinishedConnections one = new UnfinishedConnections(descriptors, causes, Runnable::run);
        for (int i = 0; i < 2000; i++) {
            one.enter(UnixDomainSocketAddress.of("/run/csi.sock"), () -> {});
        }
        return one.count();
    }
}
