package io.csi4j.replication.ratis;

import static io.csi4j.agent.Conditions.await;
import static io.csi4j.replication.ratis.TestCluster.has;
import static io.csi4j.replication.ratis.TestCluster.id;
import static io.csi4j.replication.ratis.TestCluster.newPeer;
import static io.csi4j.replication.ratis.TestCluster.node;
import static io.csi4j.replication.ratis.TestCluster.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.NoLeaderException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Takes more than 20 seconds: each case starts three peers on real disks, and several wait for an election. */
@Timeout(60)
final class ThreePeersTest {
    @TempDir
    Path root;

    @Test
    void commandSubmittedAtFollowerIsVisibleThereWhenAnswered() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(root)) {
            RatisCommandLog follower = cluster.follower();
            for (int i = 0; i < 50; i++) {
                Outcome outcome = follower.submit(node("n" + i)).join();
                assertThat(outcome.accepted()).isTrue();
                assertThat(has(follower, "n" + i)).isTrue();
            }
        }
    }

    @Test
    void linearizableReadAtFollowerReflectsCommandsAcknowledgedByLeader() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(root)) {
            RatisCommandLog leader = cluster.leader();
            RatisCommandLog follower = cluster.follower();
            for (int i = 0; i < 20; i++) {
                leader.submit(node("n" + i)).join();
                assertThat(follower.readLinearizable().join().node(node("n" + i).nodeId()))
                        .isPresent();
            }
        }
    }

    @Test
    void noAcknowledgedCommandIsLostWhenLeaderStops() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(root)) {
            RatisCommandLog leader = cluster.leader();
            submit(leader, "before", 20);
            cluster.stop(id(leader));
            RatisCommandLog next = cluster.leader();
            assertThat(has(next, "before19")).isTrue();
            submit(next, "after", 5);
            RatisCommandLog back = cluster.restart(id(leader));
            await("the former leader catches up", () -> has(back, "after4"));
        }
    }

    @Test
    void errorForCommandWithoutMajorityContainsPeerAddresses() throws Exception {
        RatisLogOptions impatient = RatisLogOptions.builder()
                .electionTimeout(Duration.ofMillis(400))
                .submitTimeout(Duration.ofSeconds(1))
                .build();
        try (TestCluster cluster = TestCluster.ofThree(root, impatient, UnaryOperator.identity())) {
            RatisCommandLog follower = cluster.follower();
            cluster.logs().stream().filter(log -> log != follower).forEach(log -> cluster.stop(id(log)));
            await(
                    "the follower misses the leader",
                    () -> follower.status().leader().isEmpty());
            assertThatThrownBy(() -> follower.submit(node("n")).join())
                    .hasCauseInstanceOf(NoLeaderException.class)
                    .hasMessageContaining("peer-1 at 127.0.0.1:")
                    .hasMessageContaining("a majority of them must run");
        }
    }

    @Test
    void laggingFollowerGetsSnapshot() throws Exception {
        RatisLogOptions small = RatisLogOptions.builder()
                .electionTimeout(Duration.ofMillis(400))
                .snapshotInterval(50)
                .build();
        try (TestCluster cluster = TestCluster.ofThree(root, small, UnaryOperator.identity())) {
            PeerId lagging = id(cluster.follower());
            cluster.stop(lagging);
            RatisCommandLog leader = cluster.leader();
            submit(leader, "n", 400);
            leader.takeSnapshot().join();
            submit(leader, "m", 60);
            RatisCommandLog back = cluster.restart(lagging);
            await("the follower catches up", () -> has(back, "m59"));
            assertThat(has(back, "n0")).isTrue();
        }
    }

    @Test
    void deadPeerCanBeReplacedByNewPeer() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(root)) {
            submit(cluster.leader(), "n", 10);
            cluster.leader().takeSnapshot().join();
            PeerId dead = id(cluster.follower());
            cluster.stop(dead);
            Peer replacement = newPeer("peer-4");
            RatisCommandLog fresh = cluster.start(replacement);
            cluster.leader().replacePeer(dead, replacement).join();
            cluster.leader().replacePeer(dead, replacement).join();
            await("the new peer has the state", () -> has(fresh, "n9"));
            assertThat(cluster.leader().peers())
                    .extracting(Peer::id)
                    .contains(replacement.id())
                    .doesNotContain(dead)
                    .hasSize(3);
        }
    }

    @Test
    void newPeersCanJoinAfterOthersWereRemovedAndReplaced() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(root)) {
            submit(cluster.leader(), "n", 10);
            Peer fourth = newPeer("peer-4");
            RatisCommandLog removed = cluster.start(fourth);
            cluster.leader().addPeer(fourth).join();
            await("the fourth peer has the state", () -> has(removed, "n9"));
            cluster.leader().removePeer(fourth.id()).join();
            assertThat(removed.failed().join()).hasMessageContaining("removed from the cluster");
            for (String name : new String[] {"peer-5", "peer-6"}) {
                PeerId dead = id(cluster.follower());
                cluster.stop(dead);
                Peer replacement = newPeer(name);
                RatisCommandLog fresh = cluster.start(replacement);
                cluster.leader().replacePeer(dead, replacement).join();
                await(name + " has the state", () -> has(fresh, "n9"));
            }
            assertThat(cluster.leader().peers())
                    .extracting(Peer::id)
                    .hasSize(3)
                    .contains(PeerId.of("peer-6"))
                    .doesNotContain(fourth.id());
        }
    }

    @Test
    void newPeerThatWasStartedAsFounderNamesTheMistake() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(root)) {
            submit(cluster.leader(), "n", 10);
            Peer fourth = newPeer("peer-4");
            RatisCommandLog removed = cluster.start(fourth);
            cluster.leader().addPeer(fourth).join();
            await("the fourth peer has the state", () -> has(removed, "n9"));
            cluster.leader().removePeer(fourth.id()).join();
            Peer fifth = newPeer("peer-5");
            List<Peer> founders = new ArrayList<>(cluster.leader().peers());
            founders.add(fifth);
            try (RatisCommandLog mistaken = RatisCommandLog.builder(root.resolve("mistaken"))
                    .options(TestCluster.FAST)
                    .state(TestCluster.READABLE)
                    .peer(fifth)
                    .everyLocalUserIsTrusted()
                    .newCluster(founders)
                    .start()) {
                // It asks for votes before it is added, and the others know a cluster without it.
                assertThat(mistaken.failed().join()).hasMessageContaining("start it without newCluster");
            }
            assertThat(cluster.leader().peers()).hasSize(3);
        }
    }

    @Test
    void singlePeerClusterCanGrowToThreePeers() throws Exception {
        try (RatisCommandLog alone =
                RatisCommandLog.builder(root.resolve("local")).start()) {
            submit(alone, "n", 10);
        }
        try (TestCluster cluster = new TestCluster(root, TestCluster.FAST, UnaryOperator.identity())) {
            RatisCommandLog first = cluster.start(newPeer("local"));
            for (String name : new String[] {"second", "third"}) {
                Peer peer = newPeer(name);
                cluster.start(peer);
                await("the first peer leads", () -> first.status().leading());
                first.addPeer(peer).join();
            }
            assertThat(first.peers()).hasSize(3);
            submit(cluster.follower(), "m", 5);
            cluster.stop(id(first));
            RatisCommandLog next = cluster.leader();
            assertThat(has(next, "n9")).isTrue();
            submit(next, "o", 5);
        }
    }

    @Test
    void anyPeerCanAddAndRemovePeers() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(root)) {
            submit(cluster.leader(), "n", 10);
            Peer fourth = newPeer("peer-4");
            RatisCommandLog fresh = cluster.start(fourth);
            cluster.follower().addPeer(fourth).join();
            await("the new peer has the state", () -> has(fresh, "n9"));
            cluster.follower().removePeer(fourth.id()).join();
            assertThat(cluster.leader().peers()).extracting(Peer::id).doesNotContain(fourth.id());
            assertThat(fresh.failed().join()).hasMessageContaining("removed from the cluster");
        }
    }
}
