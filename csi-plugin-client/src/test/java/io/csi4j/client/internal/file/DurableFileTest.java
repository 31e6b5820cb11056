package io.csi4j.client.internal.file;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.proto.file.v1.FileProto;
import io.csi4j.proto.values.v1.ValuesProto;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class DurableFileTest {
    private static final DurableFile<ValuesProto.Entry> FILES = kind("entry", 2, Disk.SYNCED);

    @TempDir
    Path directory;

    private Path file;

    @BeforeEach
    void name() {
        file = directory.resolve("f");
    }

    private static DurableFile<ValuesProto.Entry> kind(String kind, int version, Disk disk) {
        return new DurableFile<>(kind, version, ValuesProto.Entry.parser(), disk);
    }

    private static ValuesProto.Entry entry(int number) {
        return ValuesProto.Entry.newBuilder()
                .setKey("k" + number)
                .setValue("value-canary".repeat(number % 200))
                .build();
    }

    @Test
    void writtenFileStartsWithTextLineAndCanBeReadBack() throws IOException {
        assertThatThrownBy(() -> FILES.read(file)).isInstanceOf(NoSuchFileException.class);
        FILES.write(file, entry(1));
        assertThat(FILES.read(file)).isEqualTo(entry(1));
        FILES.write(file, entry(2));
        assertThat(FILES.read(file)).isEqualTo(entry(2));
        assertThat(new String(Files.readAllBytes(file), StandardCharsets.UTF_8)).startsWith("csi4j entry 2 ");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                .isEqualTo("rw-------");
    }

    @Test
    void unknownFieldsFromNewerReleaseAreAccepted() throws IOException {
        DurableFile<FileProto.PluginList> newer =
                new DurableFile<>("entry", 2, FileProto.PluginList.parser(), Disk.SYNCED);
        newer.write(file, FileProto.PluginList.newBuilder().setProblem("p").build());
        assertThat(FILES.read(file).getValue()).isEqualTo("p");
    }

    @Test
    void flippedBitAnywhereIsDetected() throws IOException {
        byte[] intact = FILES.encode(entry(3));
        assertThat(FILES.decode(intact)).isEqualTo(entry(3));
        for (int bit = 0; bit < 8 * intact.length; bit++) {
            byte[] damaged = intact.clone();
            damaged[bit / 8] ^= (byte) (1 << bit % 8);
            assertUnusable(damaged, "bit " + bit);
        }
    }

    @Test
    void fileTruncatedAnywhereIsUnusable() {
        byte[] intact = FILES.encode(entry(3));
        for (int length = 0; length < intact.length; length++) {
            assertUnusable(Arrays.copyOf(intact, length), length + " bytes");
            assertUnusable(Arrays.copyOf(Arrays.copyOf(intact, length), intact.length), length + " bytes, then zeros");
        }
        assertUnusable(Arrays.copyOf(intact, intact.length + 1), "one more byte");
    }

    private static void assertUnusable(byte[] content, String what) {
        assertThatThrownBy(() -> FILES.decode(content))
                .as(what)
                .isInstanceOfSatisfying(
                        UnusableFileException.class,
                        unusable -> assertThat(unusable.newer()).isFalse())
                .hasMessageNotContaining("canary");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "nonsense",
                "#!/bin/sh\nexit 1\n",
                "csi4j entry\n",
                "csi4j entry x 00000000\n",
                "csi4j a b c d"
            })
    void foreignFileIsUnusable(String content) {
        assertUnusable(content.getBytes(StandardCharsets.UTF_8), content);
    }

    @Test
    void fileOfAnotherTypeIsUnusable() {
        byte[] other = kind("other", 1, Disk.SYNCED).encode(entry(1));
        assertThatThrownBy(() -> FILES.decode(other))
                .isInstanceOf(UnusableFileException.class)
                .hasMessageContaining("another kind than 'entry'");
    }

    @Test
    void intactFileWithWrongMessageTypeIsUnusable() throws IOException {
        DurableFile<FileProto.User> other = new DurableFile<>("entry", 2, FileProto.User.parser(), Disk.SYNCED);
        // In the other message type, field 2 is a message and need not be valid UTF-8.
        byte[] content = other.encode(FileProto.User.newBuilder()
                .setTerms(FileProto.MountTerms.newBuilder()
                        .addPublishContext(ValuesProto.Entry.newBuilder().setValue("canary".repeat(30))))
                .build());
        assertUnusable(content, "a message of another type");
    }

    @Test
    void fileFromNewerVersionIsReportedAsNewer() throws IOException {
        assertThat(FILES.decode(kind("entry", 1, Disk.SYNCED).encode(entry(1)))).isEqualTo(entry(1));
        byte[] newer = kind("entry", 3, Disk.SYNCED).encode(entry(1));
        assertThatThrownBy(() -> FILES.decode(newer))
                .isInstanceOfSatisfying(
                        UnusableFileException.class,
                        unusable -> assertThat(unusable.newer()).isTrue())
                .hasMessageContaining("version 3")
                .hasMessageContaining("version 2");
    }

    @Test
    void failedWriteKeepsOldContentAndLeavesNoTemporaryFile() throws IOException {
        FILES.write(file, entry(1));
        for (int step = 1; step <= 2; step++) {
            FailingDisk full = new FailingDisk(step);
            assertThatThrownBy(() -> kind("entry", 2, full).write(file, entry(2)))
                    .isInstanceOf(IOException.class)
                    .hasMessage("no space");
            assertThat(FILES.read(file)).isEqualTo(entry(1));
            try (var files = Files.list(directory)) {
                assertThat(files).containsExactly(file);
            }
        }
    }

    /** After a crash at any step of a write, with any result of the unsynced operations, the file has the old or the new content. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void crashAtAnyStepLeavesOldOrNewContent(long seed) throws IOException {
        SplittableRandom random = new SplittableRandom(seed);
        int current = 0;
        int old = 0;
        int replaced = 0;
        for (int round = 1; round <= 400; round++) {
            CrashingDisk disk = new CrashingDisk(random, random.nextInt(5));
            boolean returned = false;
            try {
                kind("entry", 2, disk).write(file, entry(round));
                returned = true;
            } catch (CrashingDisk.Crash crash) {
                // The simulated machine has crashed.
            }
            disk.loseWhatWasNotSynced();
            if (returned) {
                current = round;
            } else if (Files.exists(file) && FILES.read(file).equals(entry(round))) {
                current = round;
                replaced++;
            } else {
                old++;
            }
            if (current == 0) {
                assertThat(file).doesNotExist();
            } else {
                assertThat(FILES.read(file)).as("round %s", round).isEqualTo(entry(current));
            }
        }
        assertThat(old).isPositive();
        assertThat(replaced).isPositive();
    }

    /** Fails at one step, as a full disk does; a failed write leaves a part of the content. */
    private static final class FailingDisk implements Disk {
        private int left;

        private FailingDisk(int left) {
            this.left = left;
        }

        @Override
        public void writeAndSync(Path to, byte[] content) throws IOException {
            Files.write(to, Arrays.copyOf(content, content.length / 2));
            step();
            Files.write(to, content);
        }

        @Override
        public void rename(Path from, Path to) throws IOException {
            step();
            Disk.SYNCED.rename(from, to);
        }

        @Override
        public void sync(Path synced) throws IOException {
            step();
        }

        private void step() throws IOException {
            left--;
            if (left == 0) {
                throw new IOException("no space");
            }
        }
    }
}
