package io.csi4j.replication.ratis;

import static io.csi4j.agent.Conditions.await;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand.UpsertNode;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.StateStoreOptions;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/** Peers in one JVM, on loopback addresses. */
final class TestCluster implements AutoCloseable {
    static final Instant NOW = Instant.parse("2026-11-25T00:00:00Z");
    static final RatisLogOptions FAST = RatisLogOptions.builder()
            .electionTimeout(Duration.ofMillis(400))
            .submitTimeout(Duration.ofSeconds(20))
            .build();

    /** Options for peers whose files show secrets in clear text. */
    static final StateStoreOptions READABLE = StateStoreOptions.builder()
            .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
            .build();

    private final Path root;
    private final RatisLogOptions options;
    private final UnaryOperator<RatisCommandLogBuilder> settings;
    private final List<Peer> founders = new ArrayList<>();
    private final Map<PeerId, Peer> peers = new TreeMap<>(Comparator.comparing(PeerId::value));
    private final Map<PeerId, RatisCommandLog> running = new TreeMap<>(Comparator.comparing(PeerId::value));

    TestCluster(Path root, RatisLogOptions options, UnaryOperator<RatisCommandLogBuilder> settings) {
        this.root = root;
        this.options = options;
        this.settings = settings;
    }

    static TestCluster ofThree(Path root) throws IOException {
        return ofThree(root, FAST, UnaryOperator.identity());
    }

    static TestCluster ofThree(Path root, RatisLogOptions options, UnaryOperator<RatisCommandLogBuilder> settings)
            throws IOException {
        TestCluster cluster = new TestCluster(root, options, settings);
        for (int i = 1; i <= 3; i++) {
            cluster.founders.add(newPeer("peer-" + i));
        }
        try {
            for (Peer peer : cluster.founders) {
                cluster.start(peer);
            }
        } catch (IOException | RuntimeException e) {
            cluster.close();
            throw e;
        }
        return cluster;
    }

    static Peer newPeer(String id) throws IOException {
        try (ServerSocket free = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return Peer.of(id, "127.0.0.1", free.getLocalPort());
        }
    }

    /** Starts a peer; one that is not a founder waits until it is added. */
    RatisCommandLog start(Peer peer) throws IOException {
        RatisCommandLog log = settings.apply(RatisCommandLog.builder(directory(peer.id()))
                        .options(options)
                        .state(READABLE)
                        .peer(peer)
                        .everyLocalUserIsTrusted()
                        .newCluster(founders.contains(peer) ? founders : List.of()))
                .start();
        peers.put(peer.id(), peer);
        running.put(peer.id(), log);
        return log;
    }

    Peer peer(PeerId id) {
        return peers.get(id);
    }

    Path directory(PeerId id) {
        return root.resolve(id.value());
    }

    void stop(PeerId id) {
        running.remove(id).close();
    }

    RatisCommandLog restart(PeerId id) throws IOException {
        return start(peers.get(id));
    }

    RatisCommandLog get(PeerId id) {
        return running.get(id);
    }

    List<RatisCommandLog> logs() {
        return List.copyOf(running.values());
    }

    /** Waits until one of the running peers leads. */
    RatisCommandLog leader() {
        await("a leader", () -> logs().stream().anyMatch(log -> log.status().leading()));
        return logs().stream().filter(log -> log.status().leading()).findFirst().orElseGet(this::leader);
    }

    RatisCommandLog follower() {
        RatisCommandLog leader = leader();
        return logs().stream().filter(log -> log != leader).findFirst().orElseThrow();
    }

    static PeerId id(RatisCommandLog log) {
        return PeerId.of(log.status().self());
    }

    static UpsertNode node(String name) {
        return new UpsertNode(NodeId.of(name), NOW);
    }

    /** Submits commands at the same time, and waits for their outcomes. */
    static void submit(RatisCommandLog log, String prefix, int count) {
        CompletableFuture.allOf(IntStream.range(0, count)
                        .mapToObj(i -> log.submit(node(prefix + i)))
                        .toArray(CompletableFuture<?>[]::new))
                .join();
    }

    static boolean has(RatisCommandLog log, String name) {
        return log.state().snapshot().node(NodeId.of(name)).isPresent();
    }

    @Override
    public void close() {
        List<RatisCommandLog> open = logs();
        running.clear();
        open.parallelStream().forEach(RatisCommandLog::close);
    }
}
