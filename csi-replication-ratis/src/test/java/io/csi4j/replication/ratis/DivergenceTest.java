package io.csi4j.replication.ratis;

import static io.csi4j.agent.Conditions.await;
import static io.csi4j.replication.ratis.TestCluster.has;
import static io.csi4j.replication.ratis.TestCluster.id;
import static io.csi4j.replication.ratis.TestCluster.node;
import static io.csi4j.replication.ratis.TestCluster.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.spi.LogFailedException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class DivergenceTest {
    @TempDir
    Path root;

    @Test
    void peerWithDivergedStateStopsAndErrorExplainsHowToReplaceIt() throws Exception {
        RatisLogOptions often = RatisLogOptions.builder()
                .electionTimeout(Duration.ofMillis(400))
                .checkInterval(5)
                .build();
        try (TestCluster cluster = TestCluster.ofThree(root, often, UnaryOperator.identity())) {
            RatisCommandLog leader = cluster.leader();
            RatisCommandLog wrong = cluster.follower();
            submit(leader, "n", 20);
            await("the follower has caught up", () -> has(wrong, "n19"));

            // The index that the row takes here has no command.
            leader.readLinearizable().join();
            // A row that came past the log: the next commands have other outcomes there.
            wrong.state().apply(node("only-here"));
            leader.submit(new NodeCommand.RemoveNode(NodeId.of("only-here"), "gone", TestCluster.NOW))
                    .join();
            submit(leader, "m", 20);

            LogFailedException failure = wrong.failed().join();
            assertThat(failure)
                    .hasMessageContaining("differs from the leader's at index")
                    .hasMessageContaining("Replace it");
            assertThat(wrong.failure()).contains(failure);
            assertThatThrownBy(() -> wrong.submit(node("x")).join()).hasCause(failure);
            submit(leader, "after", 5);
            assertThat(cluster.logs().stream().filter(log -> log.failure().isPresent()))
                    .containsExactly(wrong);
            assertThat(id(wrong)).isNotEqualTo(id(leader));
        }
    }
}
