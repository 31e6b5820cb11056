package io.csi4j.replication.ratis;

import static io.csi4j.replication.ratis.TestCluster.has;
import static io.csi4j.replication.ratis.TestCluster.submit;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.spi.LogFailedException;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(60)
final class DamagedFilesTest {
    @TempDir
    Path directory;

    private Path log;

    @BeforeEach
    void writeLog() throws IOException {
        try (RatisCommandLog running = RatisCommandLog.builder(directory).start()) {
            submit(running, "n", 19);
            submit(running, "last", 1);
        }
        log = file("log_");
    }

    private Path file(String prefix) throws IOException {
        try (Stream<Path> files = Files.walk(directory)) {
            return files.filter(path -> path.getFileName().toString().startsWith(prefix))
                    .filter(path -> !path.toString().endsWith(".md5"))
                    .max(Comparator.naturalOrder())
                    .orElseThrow();
        }
    }

    /** Returns the number of bytes before the zeros at the end. */
    private static int written(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int end = bytes.length;
        while (bytes[end - 1] == 0) {
            end--;
        }
        return end;
    }

    private static void overwrite(Path file, long position, int value) throws IOException {
        try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
            bytes.seek(position);
            bytes.write(value);
        }
    }

    private static void truncate(Path file, int length) throws IOException {
        Files.write(file, Arrays.copyOf(Files.readAllBytes(file), length));
    }

    private void assertRefused(Path damaged, String... why) {
        assertThatThrownBy(() -> RatisCommandLog.builder(directory).start())
                .isInstanceOf(LogFailedException.class)
                .hasMessageContaining(damaged.toString())
                .hasMessageContaining("replace this one")
                .hasMessageContainingAll(why);
    }

    @Test
    void errorForChangedLogEntryContainsItsPosition() throws Exception {
        int position = written(log) / 2;
        overwrite(log, position, Files.readAllBytes(log)[position] ^ 0x5a);
        assertRefused(log, "the entry was changed", "at byte");
    }

    @Test
    void logWithChangedLengthIsRefused() throws Exception {
        overwrite(log, 8, 0xff);
        overwrite(log, 9, 0xff);
        overwrite(log, 10, 0x7f);
        assertRefused(log, "at byte 8", "the entry was changed");
    }

    @Test
    void logWithZerosInTheMiddleIsRefused() throws Exception {
        overwrite(log, 8, 0);
        assertRefused(log, "at byte 8", "the entry was changed");
    }

    @Test
    void logOfAnotherProgramIsRefused() throws Exception {
        Files.writeString(log, "hello");
        assertRefused(log, "its first bytes are not those of a log");
    }

    @Test
    void incompleteLastEntryIsRemovedAtStart() throws Exception {
        truncate(log, written(log) - 3);
        try (RatisCommandLog running = RatisCommandLog.builder(directory).start()) {
            running.readLinearizable().join();
            assertThat(IntStream.range(0, 19)).allMatch(i -> has(running, "n" + i));
            submit(running, "after", 1);
        }
    }

    @Test
    void missingFirstSegmentWithoutSnapshotIsRefused() throws Exception {
        try (RatisCommandLog running = RatisCommandLog.builder(directory).start()) {
            submit(running, "m", 3);
        }
        Files.delete(file("log_0"));
        assertRefused(file("log_"), "the entries from index 0 to", "are in no file and in no snapshot");
    }

    @Test
    void changedSnapshotIsRefused() throws Exception {
        try (RatisCommandLog running = RatisCommandLog.builder(directory).start()) {
            running.readLinearizable().join();
            running.takeSnapshot().join();
        }
        Path snapshot = file("snapshot");
        int position = (int) Files.size(snapshot) / 2;
        overwrite(snapshot, position, Files.readAllBytes(snapshot)[position] ^ 1);
        assertRefused(snapshot, "SHA-256 digest does not fit");
    }

    @Test
    void truncatedSnapshotIsRefused() throws Exception {
        try (RatisCommandLog running = RatisCommandLog.builder(directory).start()) {
            running.readLinearizable().join();
            running.takeSnapshot().join();
        }
        Path snapshot = file("snapshot");
        truncate(snapshot, 20);
        assertRefused(snapshot, "so it was cut off");
    }

    @Test
    void missingVoteFileIsRefused() throws Exception {
        Path vote = log.resolveSibling("raft-meta");
        Files.delete(vote);
        assertRefused(vote, "for whom this peer has voted");
    }
}
