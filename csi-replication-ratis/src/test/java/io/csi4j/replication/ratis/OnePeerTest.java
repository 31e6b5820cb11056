package io.csi4j.replication.ratis;

import static io.csi4j.agent.Conditions.await;
import static io.csi4j.replication.ratis.TestCluster.has;
import static io.csi4j.replication.ratis.TestCluster.node;
import static io.csi4j.replication.ratis.TestCluster.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.core.spi.LogFailedException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class OnePeerTest {
    @TempDir
    Path directory;

    private static List<String> files(Path directory, String prefix) {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.map(file -> file.getFileName().toString())
                    .filter(name -> name.startsWith(prefix) && !name.endsWith(".md5"))
                    .toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    /** Copies the files as they are, as after a kill of the process. */
    private static void copy(Path from, Path to) throws IOException {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        }
    }

    @Test
    void restartedPeerHasAllAcknowledgedCommands() throws Exception {
        long index;
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            submit(log, "n", 50);
            index = log.state().snapshot().index();
        }
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            log.readLinearizable().join();
            assertThat(log.state().snapshot().index()).isEqualTo(index);
            assertThat(has(log, "n0")).isTrue();
            assertThat(has(log, "n49")).isTrue();
            submit(log, "m", 1);
        }
    }

    @Test
    void snapshotThatCannotBeWrittenFailsWithFileAndRemedy() throws Exception {
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            submit(log, "n", 5);
            Path beside;
            try (Stream<Path> all = Files.walk(directory)) {
                beside = all.filter(path -> path.endsWith("tmp")).findFirst().orElseThrow();
            }
            Files.delete(beside);
            Files.createFile(beside);
            assertThatThrownBy(() -> log.takeSnapshot().join())
                    .hasCauseInstanceOf(CsiException.class)
                    .hasMessageContaining("the snapshot " + directory)
                    .hasMessageContaining("was not written")
                    .hasMessageContaining("check space and permissions");
            Files.delete(beside);
            Files.createDirectory(beside);
            assertThat(log.takeSnapshot().join()).isPositive();
        }
    }

    @Test
    void killedPeerHasAllAcknowledgedCommandsAfterRestart() throws Exception {
        Path running = directory.resolve("running");
        Path killed = directory.resolve("killed");
        try (RatisCommandLog log = RatisCommandLog.builder(running).start()) {
            submit(log, "n", 50);
            copy(running, killed);
        }
        try (RatisCommandLog log = RatisCommandLog.builder(killed).start()) {
            log.readLinearizable().join();
            for (int i = 0; i < 50; i++) {
                assertThat(has(log, "n" + i)).isTrue();
            }
        }
    }

    @Test
    void restartedPeerReadsSnapshotAndLaterEntries() throws Exception {
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            submit(log, "n", 20);
            assertThat(log.takeSnapshot().join()).isPositive();
            submit(log, "m", 5);
        }
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            assertThat(log.status().snapshotIndex()).isPositive();
            log.readLinearizable().join();
            assertThat(has(log, "n0")).isTrue();
            assertThat(has(log, "m4")).isTrue();
        }
    }

    @Test
    void unneededEntriesAndSnapshotsAreRemoved() throws Exception {
        RatisLogOptions small = RatisLogOptions.builder().snapshotInterval(20).build();
        for (String run : new String[] {"a", "b", "c", "d"}) {
            try (RatisCommandLog log =
                    RatisCommandLog.builder(directory).options(small).start()) {
                submit(log, run, 50);
                long before = log.status().snapshotIndex();
                await("a snapshot", () -> {
                    submit(log, run, 1);
                    return log.status().snapshotIndex() > before + 20;
                });
            }
        }
        assertThat(files(directory, "log_0-")).isEmpty();
        assertThat(files(directory, "snapshot.")).hasSizeBetween(1, 3);
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            log.readLinearizable().join();
            assertThat(has(log, "a49")).isTrue();
            assertThat(has(log, "d49")).isTrue();
        }
    }

    /** Returns the inodes of the sockets on which this process listens, from the tables of the kernel. */
    private static Set<String> listeningSockets() throws IOException {
        Set<String> own = new HashSet<>();
        try (Stream<Path> descriptors = Files.list(Path.of("/proc/self/fd"))) {
            for (Path descriptor : descriptors.toList()) {
                try {
                    own.add(Files.readSymbolicLink(descriptor).toString());
                } catch (NoSuchFileException closedMeanwhile) {
                    // Another thread has closed it; it was not the log's port, which stays open.
                }
            }
        }
        Set<String> listening = new HashSet<>();
        for (String table : List.of("tcp", "tcp6")) {
            Files.readAllLines(Path.of("/proc/self/net", table)).stream()
                    .map(row -> row.strip().split("\\s+"))
                    .filter(row -> row[3].equals("0A") && own.contains("socket:[" + row[9] + "]"))
                    .forEach(row -> listening.add(row[9]));
        }
        return listening;
    }

    @Test
    @EnabledOnOs(value = OS.LINUX, disabledReason = "needs Linux")
    void peerWithoutOthersOpensNoPort() throws Exception {
        Set<String> before = listeningSockets();
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start();
                ServerSocket known = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            submit(log, "n", 5);
            assertThat(known.isBound()).isTrue();
            Set<String> opened = listeningSockets();
            opened.removeAll(before);
            assertThat(opened).as("the socket of this test only").hasSize(1);
        }
    }

    @Test
    void linearizableReadReflectsAllEarlierCommands() throws Exception {
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            var submitted = log.submit(node("n"));
            submitted.join();
            assertThat(log.readLinearizable().join().node(node("n").nodeId())).isPresent();
        }
    }

    @Test
    void secondLogInSameDirectoryIsRefused() throws Exception {
        try (RatisCommandLog log = RatisCommandLog.builder(directory).start()) {
            assertThatThrownBy(() -> RatisCommandLog.builder(directory).start())
                    .isInstanceOf(LogFailedException.class)
                    .hasMessageContaining("is used by another server");
            submit(log, "n", 1);
        }
    }

    @Test
    void closedLogRejectsCommands() throws Exception {
        RatisCommandLog log = RatisCommandLog.builder(directory).start();
        log.close();
        log.close();
        assertThatThrownBy(() -> log.submit(node("n")).join()).hasCauseInstanceOf(LogClosedException.class);
    }
}
