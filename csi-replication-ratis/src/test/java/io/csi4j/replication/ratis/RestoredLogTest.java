package io.csi4j.replication.ratis;

import static io.csi4j.agent.Conditions.await;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeLedger;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.core.state.StateReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The log of one server is put back from a copy, and its state is older than the nodes. */
@Timeout(120)
class RestoredLogTest {
    private static final NodeId NODE = NodeId.of("n1");

    @TempDir
    Path directory;

    @TempDir
    Path elsewhere;

    private Path data;
    private Path backup;

    @BeforeEach
    void writeBackup() throws IOException {
        data = directory.resolve("data");
        backup = elsewhere.resolve("backup");
        try (RatisCommandLog log = RatisCommandLog.builder(data).start()) {
            submit(log, new NodeCommand.UpsertNode(NODE, TestCluster.NOW));
            log.takeSnapshot().join();
        }
        copy(data.resolve("log"), backup);
        try (RatisCommandLog log = RatisCommandLog.builder(data).start()) {
            for (int i = 2; i < 10; i++) {
                submit(log, new NodeCommand.UpsertNode(NodeId.of("n" + i), TestCluster.NOW));
            }
        }
    }

    private static void submit(RatisCommandLog log, NodeCommand command) {
        assertThat(log.submit(command).join().accepted()).isTrue();
    }

    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Path copied = to.resolve(from.relativize(file).toString());
                if (!Files.isDirectory(copied)) {
                    Files.copy(file, copied, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
                }
            }
        }
    }

    private static void delete(Path directory, boolean itself) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            List<Path> all = files.sorted(Comparator.reverseOrder()).toList();
            for (Path file : all) {
                if (itself || !file.equals(directory)) {
                    Files.delete(file);
                }
            }
        }
    }

    /** Starts the log, and returns the node's ledger at the moment in which the server begins to lead. */
    private NodeLedger ledgerWhenLeading() throws Exception {
        try (RatisCommandLog log = RatisCommandLog.builder(data).start()) {
            CompletableFuture<NodeLedger> ledger = new CompletableFuture<>();
            var unused = log.onLeadership(new LeadershipListener() {
                @Override
                public void startLeading() {
                    ledger.complete(
                            log.state().snapshot().node(NODE).map(Node::ledger).orElseThrow());
                }

                @Override
                public void stopLeading() {
                    // The test waits for the beginning only.
                }
            });
            return ledger.get(1, TimeUnit.MINUTES);
        }
    }

    @Test
    void restartedLogTrustsItsState() throws Exception {
        assertThat(ledgerWhenLeading()).isEqualTo(NodeLedger.settled());
        assertThat(ledgerWhenLeading()).isEqualTo(NodeLedger.settled());
    }

    @Test
    void logThatWasPutBackAsksTheNodesBeforeItLeads() throws Exception {
        delete(data.resolve("log"), true);
        copy(backup, data.resolve("log"));
        assertThat(ledgerWhenLeading().missing()).isTrue();
    }

    @Test
    void filesThatWerePutBackIntoTheSameDirectoryAreNoticed() throws Exception {
        delete(data.resolve("log"), false);
        copy(backup, data.resolve("log"));
        assertThat(ledgerWhenLeading().missing()).isTrue();
    }

    @Test
    void logThatWasPutOnAnotherMachineAsksTheNodes() throws Exception {
        Path keys = data.resolve("secrets.key");
        Path moved = elsewhere.resolve("other");
        Files.createDirectories(moved);
        copy(backup, moved.resolve("log"));
        if (Files.exists(keys)) {
            Files.copy(keys, moved.resolve("secrets.key"), StandardCopyOption.COPY_ATTRIBUTES);
        }
        data = moved;
        assertThat(ledgerWhenLeading().missing()).isTrue();
    }

    @Test
    void copyOfTheWholeDirectoryAsksTheNodes() throws Exception {
        Path copied = elsewhere.resolve("whole");
        copy(data, copied);
        delete(data, true);
        copy(copied, data);
        Files.copy(
                copied.resolve("secrets.key"),
                data.resolve("secrets.key"),
                StandardCopyOption.REPLACE_EXISTING,
                StandardCopyOption.COPY_ATTRIBUTES);
        assertThat(ledgerWhenLeading().missing()).isTrue();
    }

    @Test
    void copiedDirectoryWithTheFileKeyOfTheDeletedOneAsksTheNodes() throws Exception {
        Path log = data.resolve("log");
        Object key = Files.readAttributes(log, BasicFileAttributes.class).fileKey();
        Path copied = elsewhere.resolve("again");
        copy(log, copied);
        // Some file systems give the key of a deleted directory to the next one, and some do not.
        for (int i = 0; i < 20; i++) {
            delete(log, true);
            copy(copied, log);
            if (Files.readAttributes(log, BasicFileAttributes.class).fileKey().equals(key)) {
                break;
            }
        }
        assertThat(ledgerWhenLeading().missing()).isTrue();
    }

    @Test
    void stateThatWasAskedForOnceIsTrustedAtTheNextStart() throws Exception {
        delete(data.resolve("log"), true);
        copy(backup, data.resolve("log"));
        long since = ledgerWhenLeading().missingSince();
        assertThat(ledgerWhenLeading().missingSince()).isEqualTo(since);
    }

    @Test
    void copyOfOneServerIsPutBackOnAllThree() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(elsewhere.resolve("three"))) {
            submit(cluster.leader(), new NodeCommand.UpsertNode(NODE, TestCluster.NOW));
            PeerId copied = TestCluster.id(cluster.follower());
            await("the state at the follower", () -> TestCluster.has(cluster.get(copied), "n1"));
            cluster.stop(copied);
            Path copy = elsewhere.resolve("copy");
            copy(cluster.directory(copied).resolve("log"), copy);
            cluster.restart(copied);
            submit(cluster.leader(), new NodeCommand.UpsertNode(NodeId.of("later"), TestCluster.NOW));
            List<PeerId> all = cluster.logs().stream().map(TestCluster::id).toList();
            all.forEach(cluster::stop);
            for (PeerId peer : all) {
                delete(cluster.directory(peer).resolve("log"), true);
                copy(copy, cluster.directory(peer).resolve("log"));
                cluster.restart(peer);
            }
            submit(cluster.leader(), new NodeCommand.UpsertNode(NodeId.of("since"), TestCluster.NOW));
            for (PeerId peer : all) {
                await("the same state at " + peer, () -> TestCluster.has(cluster.get(peer), "since"));
                StateReader state = cluster.get(peer).state().snapshot();
                assertThat(state.node(NODE).orElseThrow().ledger().missing())
                        .as("the nodes are asked, at %s", peer)
                        .isTrue();
                assertThat(state.node(NodeId.of("later"))).isEmpty();
            }
        }
    }
}
