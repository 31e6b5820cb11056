package io.csi4j.examples.own;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.spi.CommandTooLargeException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Instant;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The files of the log after a crash, a compaction and damage. */
class FileLogTest {
    @TempDir
    Path directory;

    private FileLog open(int entriesBeforeCompaction) throws IOException {
        return new FileLog(directory, FileLogContractTest.OPTIONS, entriesBeforeCompaction);
    }

    private Path entries() {
        return directory.resolve("entries");
    }

    private static void submit(FileLog log, String... nodes) {
        for (String node : nodes) {
            log.submit(new NodeCommand.UpsertNode(NodeId.of(node), Instant.EPOCH))
                    .join();
        }
    }

    private static boolean has(FileLog log, String node) {
        return log.state().snapshot().node(NodeId.of(node)).isPresent();
    }

    @Test
    void entryWhoseEndIsMissingIsCutOff() throws IOException {
        try (FileLog log = open(100)) {
            submit(log, "one", "two");
        }
        byte[] whole = Files.readAllBytes(entries());
        for (int missing = 1; missing < whole.length / 2; missing += 7) {
            Files.write(entries(), Arrays.copyOf(whole, whole.length - missing));
            try (FileLog log = open(100)) {
                assertThat(has(log, "one")).isTrue();
                assertThat(has(log, "two")).isFalse();
                submit(log, "three");
            }
            try (FileLog log = open(100)) {
                assertThat(has(log, "three"))
                        .as("an entry after %s missing bytes", missing)
                        .isTrue();
            }
        }
    }

    @Test
    void damagedEntryBeforeOthersStopsTheStart() throws IOException {
        try (FileLog log = open(100)) {
            submit(log, "one", "two");
        }
        byte[] damaged = Files.readAllBytes(entries());
        damaged[20] ^= 1;
        Files.write(entries(), damaged);
        assertThatThrownBy(() -> open(100)).hasMessageContaining("is damaged at byte 0");
    }

    /** A damaged length must not look like an end that is missing, because the entries after it were answered. */
    @Test
    void damagedHeaderBeforeOtherEntriesStopsTheStart() throws IOException {
        try (FileLog log = open(100)) {
            submit(log, "one", "two");
        }
        byte[] whole = Files.readAllBytes(entries());
        for (int at = 0; at < 20; at++) {
            byte[] damaged = whole.clone();
            damaged[at] ^= 64;
            Files.write(entries(), damaged);
            assertThatThrownBy(() -> open(100)).hasMessageContaining("is damaged at byte 0");
        }
        assertThat(Files.size(entries())).isEqualTo(whole.length);
    }

    @Test
    void zerosAtTheEndAreCutOff() throws IOException {
        try (FileLog log = open(100)) {
            submit(log, "one");
        }
        Files.write(entries(), new byte[100], StandardOpenOption.APPEND);
        try (FileLog log = open(100)) {
            submit(log, "two");
        }
        try (FileLog log = open(100)) {
            assertThat(has(log, "one") && has(log, "two")).isTrue();
        }
    }

    @Test
    void commandThatIsTooLargeIsRefusedAndNotWritten() throws IOException {
        try (FileLog log = new FileLog(directory, FileLogContractTest.OPTIONS, 100, 60)) {
            assertThatThrownBy(() -> submit(log, "n".repeat(61)))
                    .hasCauseInstanceOf(CommandTooLargeException.class)
                    .hasMessageContaining("an entry of the log at most 60");
            assertThat(entries()).isEmptyFile();
            submit(log, "one");
        }
        try (FileLog log = open(100)) {
            assertThat(has(log, "one")).isTrue();
        }
    }

    @Test
    void compactionEmptiesEntriesAndKeepsState() throws IOException {
        long index;
        try (FileLog log = open(3)) {
            submit(log, "one", "two", "three");
            assertThat(entries()).isEmptyFile();
            submit(log, "four");
            index = log.state().snapshot().index();
        }
        try (FileLog log = open(3)) {
            assertThat(has(log, "one") && has(log, "four")).isTrue();
            assertThat(log.state().snapshot().index()).isEqualTo(index);
        }
    }

    @Test
    void entriesThatTheStateHasAlreadyAreNotAppliedAgain() throws IOException {
        byte[] before;
        try (FileLog log = open(3)) {
            submit(log, "one", "two");
            before = Files.readAllBytes(entries());
            submit(log, "three");
        }
        // The server died after it had written the state, and before it had emptied the entries.
        Files.write(entries(), before, StandardOpenOption.APPEND);
        try (FileLog log = open(3)) {
            assertThat(has(log, "three")).isTrue();
            assertThat(log.state().snapshot().index()).isEqualTo(3);
        }
    }
}
