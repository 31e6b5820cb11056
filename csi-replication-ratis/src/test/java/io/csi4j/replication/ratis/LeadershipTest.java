package io.csi4j.replication.ratis;

import static io.csi4j.agent.Conditions.await;
import static io.csi4j.replication.ratis.TestCluster.id;
import static io.csi4j.replication.ratis.TestCluster.newPeer;
import static io.csi4j.replication.ratis.TestCluster.node;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Each peer can be cut off from the two others: what they send to it, and its answers, pass through a proxy. */
@Timeout(90)
final class LeadershipTest {
    @TempDir
    Path root;

    private final Map<PeerId, Proxy> proxies = new HashMap<>();
    private final List<RatisCommandLog> logs = new ArrayList<>();
    private final ActingTimes actingTimes = new ActingTimes();

    @BeforeEach
    void startPeers() throws IOException {
        RatisLogOptions options = RatisLogOptions.builder()
                .electionTimeout(Duration.ofMillis(600))
                .submitTimeout(Duration.ofSeconds(20))
                .build();
        List<Peer> behind = new ArrayList<>();
        List<Peer> peers = new ArrayList<>();
        for (int i = 1; i <= 3; i++) {
            Peer real = newPeer("peer-" + i);
            Proxy proxy = new Proxy(real.port());
            proxies.put(real.id(), proxy);
            behind.add(real);
            peers.add(new Peer(real.id(), "127.0.0.1", proxy.port()));
        }
        for (int i = 0; i < 3; i++) {
            RatisCommandLog log = RatisCommandLog.builder(
                            root.resolve(peers.get(i).id().value()))
                    .options(options)
                    .state(TestCluster.READABLE)
                    .listen("127.0.0.1", behind.get(i).port())
                    .peer(peers.get(i))
                    .everyLocalUserIsTrusted()
                    .newCluster(peers)
                    .start();
            logs.add(log);
            log.onLeadership(actingTimes.listener());
        }
    }

    @AfterEach
    void stopPeers() throws IOException {
        for (Proxy proxy : proxies.values()) {
            proxy.cut(false);
        }
        logs.parallelStream().forEach(RatisCommandLog::close);
        for (Proxy proxy : proxies.values()) {
            proxy.close();
        }
    }

    private RatisCommandLog leader() {
        await("a leader", () -> logs.stream().anyMatch(log -> log.status().leading()));
        return logs.stream().filter(log -> log.status().leading()).findFirst().orElseGet(this::leader);
    }

    @Test
    void leaderWithoutMajorityStopsLeadingBeforeNextLeaderStarts() {
        for (int round = 0; round < 3; round++) {
            RatisCommandLog old = leader();
            old.submit(node("round-" + round)).join();
            List<Proxy> others = proxies.entrySet().stream()
                    .filter(entry -> !entry.getKey().equals(id(old)))
                    .map(Map.Entry::getValue)
                    .toList();
            // No peer reaches another one.
            others.forEach(proxy -> proxy.cut(true));
            proxies.get(id(old)).cut(true);
            await("the leader stops", () -> !old.status().leading());
            proxies.get(id(old)).cut(false);
            others.forEach(proxy -> proxy.cut(false));
            leader();
        }
        leader().submit(node("last")).join();
        assertThat(actingTimes.count()).isGreaterThanOrEqualTo(3);
        actingTimes.assertOneAfterTheOther();
    }
}
