package io.csi4j.simulation.internal.disk;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.node.NodeVolumes;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

class SimDiskTest {
    private static final WriteGate OPEN = () -> {};

    private static void write(Path file, String text, boolean sync) throws IOException {
        try (FileChannel channel = FileChannel.open(
                file, StandardOpenOption.CREATE, StandardOpenOption.WRITE, StandardOpenOption.TRUNCATE_EXISTING)) {
            channel.write(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
            if (sync) {
                channel.force(false);
            }
        }
    }

    private static void sync(Path directory) throws IOException {
        try (FileChannel names = FileChannel.open(directory, StandardOpenOption.READ)) {
            names.force(true);
        }
    }

    @Test
    void filesAreReadListedRenamedAndDeleted() throws IOException {
        SimFileSystem files = new SimDisk(new SplittableRandom(1)).openFor(OPEN);
        Path base = Files.createDirectory(files.getPath("/base"));
        write(base.resolve("a.tmp"), "text", true);
        Files.move(base.resolve("a.tmp"), base.resolve("a"), StandardCopyOption.ATOMIC_MOVE);
        assertThat(Files.readString(base.resolve("a"))).isEqualTo("text");
        assertThat(Files.size(base.resolve("a"))).isEqualTo(4);
        assertThat(Files.isDirectory(base)).isTrue();
        assertThat(Files.isRegularFile(base.resolve("a"))).isTrue();
        try (var listed = Files.list(base)) {
            assertThat(listed).containsExactly(base.resolve("a"));
        }
        assertThatThrownBy(() -> Files.delete(base)).isInstanceOf(DirectoryNotEmptyException.class);
        assertThatThrownBy(() -> Files.createDirectory(base)).isInstanceOf(FileAlreadyExistsException.class);
        Files.delete(base.resolve("a"));
        assertThat(Files.deleteIfExists(base.resolve("a"))).isFalse();
        assertThatThrownBy(() -> Files.readString(base.resolve("a"))).isInstanceOf(NoSuchFileException.class);
    }

    @Test
    void syncedFileWithSyncedNameSurvivesPowerLoss() throws IOException {
        for (long seed = 1; seed <= 50; seed++) {
            SimDisk disk = new SimDisk(new SplittableRandom(seed));
            Path file = disk.openFor(OPEN).getPath("/file");
            write(file, "old", true);
            sync(disk.openFor(OPEN).getPath("/"));
            write(file.resolveSibling("other"), "never synced", false);
            disk.losePower();
            assertThat(Files.readString(file)).isEqualTo("old");
        }
    }

    @Test
    void newBaseDirectoryOfAgentSurvivesPowerLoss() throws IOException {
        for (long seed = 1; seed <= 20; seed++) {
            SimDisk disk = new SimDisk(new SplittableRandom(seed));
            Path base = disk.openFor(OPEN).getPath("/var/agent");
            NodeVolumes.builder(base, plugin -> Optional.empty())
                    .stillRuns(allocation -> true)
                    .build();
            disk.losePower();
            assertThat(base.resolve("ledger")).isDirectory();
        }
    }

    @Test
    void unsyncedContentAndNameSurvivePowerLossOnlySometimes() throws IOException {
        TreeSet<String> outcomes = new TreeSet<>();
        for (long seed = 1; seed <= 50; seed++) {
            SimDisk disk = new SimDisk(new SplittableRandom(seed));
            Path file = disk.openFor(OPEN).getPath("/file");
            write(file, "new", false);
            disk.losePower();
            outcomes.add(Files.exists(file) ? "file with '" + Files.readString(file) + "'" : "no file");
        }
        assertThat(outcomes).containsExactly("file with ''", "file with 'new'", "no file");
    }

    @Test
    void writesFailAfterProcessHasEnded() throws IOException {
        SimDisk disk = new SimDisk(new SplittableRandom(1));
        boolean[] alive = {true};
        SimFileSystem files = disk.openFor(() -> {
            if (!alive[0]) {
                throw new IOException("the process was killed");
            }
        });
        write(files.getPath("/file"), "text", true);
        alive[0] = false;
        assertThatThrownBy(() -> write(files.getPath("/file"), "more", true)).hasMessageContaining("killed");
        assertThatThrownBy(() -> Files.createDirectory(files.getPath("/directory")))
                .hasMessageContaining("killed");
        assertThat(Files.readString(disk.openFor(OPEN).getPath("/file"))).isEqualTo("text");
    }

    @Test
    void lockIsHeldUntilItsProcessEnds() throws IOException {
        SimDisk disk = new SimDisk(new SplittableRandom(1));
        SimFileSystem first = disk.openFor(OPEN);
        SimFileSystem second = disk.openFor(OPEN);
        write(first.getPath("/lock"), "", true);
        FileChannel held = FileChannel.open(first.getPath("/lock"), StandardOpenOption.WRITE);
        FileChannel wanted = FileChannel.open(second.getPath("/lock"), StandardOpenOption.WRITE);
        assertThat(held.tryLock()).isNotNull();
        assertThat(wanted.tryLock()).isNull();
        first.processEnded();
        assertThat(wanted.tryLock()).isNotNull();
        assertThat(first.getPath("/lock")).isNotEqualTo(second.getPath("/lock"));
    }
}
