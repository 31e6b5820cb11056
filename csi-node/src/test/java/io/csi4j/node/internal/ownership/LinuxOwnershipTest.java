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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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

    /** A walk that hangs in the kernel cannot be interrupted; here it waits until the test ends it. */
    @Test
    void changesThatDoNotProceedDelayNoOther() throws Exception {
        CountDownLatch storageAnswers = new CountDownLatch(1);
        LinuxOwnership stalling = new LinuxOwnership(Duration.ofMillis(1), (target, wanted, progress) -> {
            progress.visit();
            if (target.endsWith("dead")) {
                await(storageAnswers);
            }
        });
        List<CompletableFuture<@Nullable Void>> dead = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            dead.add(stalling.change(Path.of("/dead"), WANTED, new OwnershipProgress()));
        }
        stalling.change(Path.of("/alive"), WANTED, new OwnershipProgress()).get(1, TimeUnit.MINUTES);
        assertThat(dead).noneMatch(CompletableFuture::isDone);
        storageAnswers.countDown();
        for (CompletableFuture<@Nullable Void> change : dead) {
            change.get(1, TimeUnit.MINUTES);
        }
        stalling.change(Path.of("/alive"), WANTED, new OwnershipProgress()).get(1, TimeUnit.MINUTES);
    }

    @Test
    void onlyTwoChangesProceedAtATime() throws Exception {
        Semaphore begun = new Semaphore(0);
        CountDownLatch end = new CountDownLatch(1);
        AtomicInteger atOnce = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        LinuxOwnership two = new LinuxOwnership(Duration.ofHours(1), (target, wanted, progress) -> {
            most.accumulateAndGet(atOnce.incrementAndGet(), Math::max);
            begun.release();
            await(end);
            atOnce.decrementAndGet();
        });
        List<CompletableFuture<@Nullable Void>> all = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            all.add(two.change(Path.of("/volume"), WANTED, new OwnershipProgress()));
        }
        assertThat(begun.tryAcquire(2, 1, TimeUnit.MINUTES)).isTrue();
        end.countDown();
        for (CompletableFuture<@Nullable Void> change : all) {
            change.get(1, TimeUnit.MINUTES);
        }
        assertThat(most).hasValue(2);
    }

    @Test
    void changeThatThrowsMakesRoomForTheNext() {
        LinuxOwnership failing = new LinuxOwnership(Duration.ofHours(1), (target, wanted, progress) -> {
            throw new IllegalStateException("a defect");
        });
        for (int i = 0; i < 5; i++) {
            CompletableFuture<@Nullable Void> change =
                    failing.change(Path.of("/volume"), WANTED, new OwnershipProgress());
            assertThatThrownBy(() -> change.get(1, TimeUnit.MINUTES)).hasMessageContaining("a defect");
        }
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(2, TimeUnit.MINUTES)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }
}
