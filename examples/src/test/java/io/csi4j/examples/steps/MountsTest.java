package io.csi4j.examples.steps;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MountsTest {
    private static final ProcessMounts MOUNTS = ProcessMounts.parse(List.of(
            "21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw",
            "22 21 0:5 / /nowhere/a\\040b rw,nosuid shared:2 master:1 - tmpfs tmpfs rw",
            "23 22 8:1 /data /nowhere/a\\040b/c ro,relatime - ext4 /dev/sda1 rw",
            "24 21 8:1 /other /nowhere/a\\040bc rw - xfs /dev/sdb rw",
            "25 22 8:1 /newer /nowhere/a\\040b/c rw,relatime - btrfs /dev/sda1 rw"));

    @Test
    void newestMountAtPathIsReturned() throws IOException {
        assertThat(MOUNTS.at(Path.of("/nowhere/a b/c"))).hasValueSatisfying(mount -> {
            assertThat(mount.fsType()).isEqualTo("btrfs");
            assertThat(mount.readonly()).isFalse();
        });
        assertThat(MOUNTS.at(Path.of("/nowhere/a b/d"))).isEmpty();
    }

    @Test
    void mountsBelowDirectoryAreReturnedNewestFirst() throws IOException {
        assertThat(MOUNTS.under(Path.of("/nowhere/a b")))
                .extracting(ProcessMounts.Mount::fsType)
                .containsExactly("btrfs", "ext4", "tmpfs");
    }

    @Test
    void mountIsFoundThroughSymbolicLink(@TempDir Path directory) throws IOException {
        Path link = Files.createSymbolicLink(directory.resolve("link"), Path.of("/"));
        assertThat(ProcessMounts.read().at(link.resolve("proc"))).isPresent();
        assertThat(ProcessMounts.read().at(directory)).isEmpty();
        Files.delete(link);
    }
}
