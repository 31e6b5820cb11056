package io.csi4j.replication.ratis;

import static io.csi4j.agent.Conditions.await;

import io.csi4j.agent.LogCapture;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A change of the leader that concerns a person is one line of the log. */
@Timeout(60)
class PeerLogTest {
    @TempDir
    Path directory;

    @Test
    void changeOfLeaderIsLoggedByFollowers() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(directory);
                LogCapture log = LogCapture.all()) {
            RatisCommandLog first = cluster.leader();
            PeerId old = TestCluster.id(first);
            cluster.stop(old);
            PeerId next = TestCluster.id(cluster.leader());
            await(
                    "a follower's line",
                    () -> log.lines().contains("INFO Peer " + next + " leads now; this peer follows it"));
        }
    }

    @Test
    void missingLeaderIsWarningThatNamesThePeers() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(directory);
                LogCapture log = LogCapture.all()) {
            RatisCommandLog leader = cluster.leader();
            RatisCommandLog left = cluster.follower();
            cluster.logs().stream()
                    .filter(peer -> peer != left && peer != leader)
                    .map(TestCluster::id)
                    .toList()
                    .forEach(cluster::stop);
            cluster.stop(TestCluster.id(leader));
            await(
                    "a warning",
                    () -> log.lines().stream()
                            .anyMatch(
                                    line -> line.startsWith("WARNING There is no leader") && line.contains("peer-2")));
        }
    }
}
