package io.csi4j.state;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.spi.LogClosedException;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class LocalCommandLogTest {
    private static final NodeCommand.UpsertNode NODE =
            new NodeCommand.UpsertNode(NodeId.of("n1"), Instant.parse("2026-01-01T00:00:00Z"));

    @Test
    void commandIsVisibleWhenItsFutureCompletes() {
        StateStore store = StateStore.inMemory();
        LocalCommandLog log = new LocalCommandLog(store);
        AtomicLong observedIndex = new AtomicLong();
        assertThat(log.submit(NODE)
                        .thenRun(() -> observedIndex.set(log.state().snapshot().index())))
                .isCompleted();
        assertThat(observedIndex).hasValue(1);
        assertThat(log.state().snapshot().node(NodeId.of("n1"))).isPresent();
    }

    @Test
    void futureOfRejectedCommandCompletesNormally() {
        LocalCommandLog log = new LocalCommandLog(StateStore.inMemory());
        assertThat(log.submit(new NodeCommand.SetNodeStatus(
                        NodeId.of("unknown"), NodeStatus.DOWN, "", Instant.parse("2026-01-01T00:00:00Z"))))
                .isCompletedWithValueMatching(outcome -> !outcome.accepted());
    }

    @Test
    void failedWriteFailsFutureOfCommand() {
        StateStore store = StateStore.inMemory();
        LocalCommandLog log = new LocalCommandLog(store);
        try (WriteTransaction open = store.begin(Duration.ofSeconds(1))) {
            assertThat(open.index()).isZero();
            assertThat(log.submit(NODE))
                    .isCompletedExceptionally()
                    .failsWithin(Duration.ofSeconds(1))
                    .withThrowableThat()
                    .withMessageContaining("write transaction open");
        }
        assertThat(store.snapshot().node(NodeId.of("n1"))).isEmpty();
    }

    @Test
    void commandForClosedStoreFailsWithNonRetryableError() {
        StateStore store = StateStore.inMemory();
        store.close();
        assertThat(new LocalCommandLog(store).submit(NODE))
                .failsWithin(Duration.ofSeconds(1))
                .withThrowableThat()
                .havingCause()
                .isInstanceOfSatisfying(
                        LogClosedException.class,
                        closed -> assertThat(closed.retryable()).isFalse());
    }
}
