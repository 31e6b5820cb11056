package io.csi4j.ratis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.command.NodeCommand.UpsertNode;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.spi.LogClosedException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class OnePeerTest {
    private static final Instant NOW = Instant.parse("2026-11-25T00:00:00Z");

    @TempDir
    Path directory;

    private static UpsertNode node(int number) {
        return new UpsertNode(NodeId.of("node-" + number), NOW);
    }

    private static void submit(RatisCommandLog log, int from, int to) {
        for (int i = from; i < to; i++) {
            assertThat(log.submit(node(i)).join()).isInstanceOf(Outcome.Accepted.class);
        }
    }

    private static boolean has(RatisCommandLog log, int number) {
        return log.state().snapshot().node(NodeId.of("node-" + number)).isPresent();
    }

    @Test
    void restartedPeerHasAllAnsweredCommands() throws Exception {
        long index;
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            submit(log, 0, 50);
            index = log.state().snapshot().index();
        }
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            log.readLinearizable().join();
            assertThat(log.state().snapshot().index()).isEqualTo(index);
            assertThat(has(log, 0)).isTrue();
            assertThat(has(log, 49)).isTrue();
            submit(log, 50, 51);
        }
    }

    @Test
    void restartedPeerReadsSnapshotAndLaterEntries() throws Exception {
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            submit(log, 0, 20);
            long snapshot = log.takeSnapshot().join();
            assertThat(snapshot).isPositive();
            submit(log, 20, 25);
        }
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            assertThat(log.status().snapshotIndex()).isPositive();
            log.readLinearizable().join();
            assertThat(has(log, 0)).isTrue();
            assertThat(has(log, 24)).isTrue();
        }
    }

    @Test
    void secondLogOfDirectoryIsRefused() throws Exception {
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            assertThatThrownBy(() -> RatisCommandLog.builder(directory).start())
                    .isInstanceOf(PeerFailedException.class)
                    .hasMessageContaining("is used by another server");
            submit(log, 0, 1);
        }
    }

    @Test
    void closedLogRejectsCommands() throws Exception {
        RatisCommandLog log = RatisCommandLog.builder(directory).start();
        log.close();
        log.close();
        assertThat(log.submit(node(1)))
                .failsWithin(Duration.ofSeconds(5))
                .withThrowableThat()
                .withCauseInstanceOf(LogClosedException.class);
    }
}
