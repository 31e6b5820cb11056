package io.csi4j.node.internal.ownership;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.node.FileOwnership;
import io.csi4j.node.MountTable;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.OwnershipProgress;
import io.csi4j.node.RealMountsTest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real mounts, which need root on Linux; skipped elsewhere. */
class LinuxOwnershipTest {
    private static final FileOwnership WANTED = new FileOwnership(1234, GroupChangePolicy.ALWAYS, OptionalLong.empty());

    @TempDir
    Path directory;

    private final LinuxOwnership ownership = new LinuxOwnership();

    @AfterEach
    void unmount() throws IOException {
        for (Path mount : List.copyOf(MountTable.ofLinux().read().within(directory.toRealPath()))) {
            RealMountsTest.run("umount", "-l", mount.toString());
        }
    }

    private Path mounted(String options) throws IOException {
        assumeTrue(RealMountsTest.canMount(directory), "needs the right to mount");
        Path root = Files.createDirectory(directory.toRealPath().resolve("volume"));
        RealMountsTest.run("mount", "-t", "tmpfs", "-o", options, "tmpfs", root.toString());
        return root;
    }

    private CompletableFuture<@Nullable Void> change(Path target) {
        return ownership.change(target, WANTED, new OwnershipProgress());
    }

    @Test
    void futureCompletesWhenTheVolumeIsChanged() throws IOException {
        Path root = mounted("mode=0755");
        assertThat(change(root).join()).isNull();
        assertThat(Files.getAttribute(root, "unix:gid")).isEqualTo(1234);
    }

    @Test
    void fileSystemThatRefusesIsUnsupported() throws IOException {
        Path root = mounted("ro");
        assertThatThrownBy(change(root)::join)
                .cause()
                .isInstanceOfSatisfying(
                        NodeVolumeException.class,
                        refused -> assertThat(refused.reason()).isEqualTo(NodeVolumeException.Reason.UNSUPPORTED));
    }

    @Test
    void targetWithoutAMountIsAFailureThatMayPass() throws IOException {
        Path plain = Files.createDirectory(directory.toRealPath().resolve("plain"));
        assertThatThrownBy(change(plain)::join)
                .cause()
                .isInstanceOf(IOException.class)
                .hasMessageContaining("nothing is mounted at the target");
    }
}
