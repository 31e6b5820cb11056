package io.csi4j.replication.ratis;

import static io.csi4j.agent.Conditions.await;
import static io.csi4j.replication.ratis.TestCluster.has;
import static io.csi4j.replication.ratis.TestCluster.id;
import static io.csi4j.replication.ratis.TestCluster.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.spi.LogFailedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A log whose files are gone is not replaced by an empty one, which would have forgotten all claims. */
@Timeout(60)
final class VanishedLogTest {
    @TempDir
    Path root;

    private static void delete(Path directory) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        }
    }

    private static List<Path> children(Path directory) throws IOException {
        try (Stream<Path> files = Files.list(directory)) {
            return files.toList();
        }
    }

    private void writeLog() throws IOException {
        try (RatisCommandLog log = RatisCommandLog.builder(root).start()) {
            submit(log, "n", 3);
        }
    }

    private void assertRefused() {
        assertThatThrownBy(() -> RatisCommandLog.builder(root).start())
                .isInstanceOf(LogFailedException.class)
                .hasMessageContaining("The log in " + root.resolve("log") + " has vanished")
                .hasMessageContaining(root.resolve("log.mark").toString())
                .hasMessageContaining("restore it from a backup")
                .hasMessageContaining("replace this one");
    }

    @Test
    void missingDirectoryOfLogIsNoticed() throws Exception {
        writeLog();
        delete(root.resolve("log"));
        assertRefused();
        assertRefused();
        assertThat(root.resolve("log")).doesNotExist();
    }

    @Test
    void emptyDirectoryOfLogIsNoticed() throws Exception {
        writeLog();
        for (Path group : children(root.resolve("log"))) {
            delete(group);
        }
        assertRefused();
    }

    @Test
    void emptyGroupInDirectoryOfLogIsNoticed() throws Exception {
        writeLog();
        for (Path group : children(root.resolve("log"))) {
            delete(group);
            Files.createDirectories(group);
        }
        assertRefused();
    }

    @Test
    void logOfAnotherClusterIsNotTheLog() throws Exception {
        writeLog();
        assertThatThrownBy(
                        () -> RatisCommandLog.builder(root).cluster("renamed").start())
                .isInstanceOf(LogFailedException.class)
                .hasMessageContaining("has vanished")
                .hasMessageContaining("\"renamed\"");
    }

    @Test
    void deletedMarkMeansNewLog() throws Exception {
        writeLog();
        delete(root.resolve("log"));
        Files.delete(root.resolve("log.mark"));
        try (RatisCommandLog log = RatisCommandLog.builder(root).start()) {
            submit(log, "m", 1);
            assertThat(has(log, "n0")).isFalse();
        }
    }

    @Test
    void peersWithoutFilesDoNotFoundTheirClusterAgain() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(root)) {
            submit(cluster.leader(), "n", 3);
            List<PeerId> ids = cluster.logs().stream().map(TestCluster::id).toList();
            for (PeerId id : ids) {
                cluster.stop(id);
                delete(cluster.directory(id).resolve("log"));
            }
            for (PeerId id : ids) {
                assertThatThrownBy(() -> cluster.restart(id))
                        .isInstanceOf(LogFailedException.class)
                        .hasMessageContaining("has vanished");
            }
        }
    }

    @Test
    void logThatVanishesUnderARunningPeerStopsItAndTheErrorSaysSo() throws Exception {
        try (TestCluster cluster = TestCluster.ofThree(root)) {
            submit(cluster.leader(), "n", 3);
            RatisCommandLog victim = cluster.leader();
            delete(cluster.directory(id(victim)).resolve("log"));
            await("the peer stops", () -> victim.failure().isPresent());
            assertThat(victim.failure().orElseThrow())
                    .hasMessageContaining("has vanished")
                    .hasMessageContaining("replace this one");
            submit(cluster.leader(), "m", 1);
        }
    }
}
