package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.NodeVolumeStatus.State;
import io.csi4j.node.ScriptedNode.Fate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A plugin that answers NodePublishVolume with OK and mounts nothing, or puts a link at the target. */
class UnmountedPublishTest {
    @TempDir
    Path base;

    private Bench bench;
    private Path target;

    @BeforeEach
    void open() {
        bench = new Bench(base, 1, true);
        target = Path.of(bench.target("v", "a"));
    }

    @AfterEach
    void noRuleWasBroken() {
        assertThat(bench.node.violations).isEmpty();
    }

    private CompletableFuture<MountedVolume> mountFor(Duration time) {
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        bench.time.advance(time);
        return mount;
    }

    private NodeVolumeStatus status() {
        return bench.volumes.status(VolumeKey.of("ns", "v")).orElseThrow();
    }

    private void pluginPublishesWithoutMount() {
        bench.crash();
        bench.options = Bench.unsynced()
                .publishesWithoutMount(List.of(PluginId.of("p")))
                .build();
        bench.open();
    }

    @Test
    void publishWithoutMountIsUnpublishedAndPublishedAgainUntilSomethingIsMounted() {
        bench.node.mountsNothing = true;
        CompletableFuture<MountedVolume> mount = mountFor(Duration.ofMinutes(2));
        assertThat(mount).isNotDone();
        assertThat(bench.node.log.subList(0, 4))
                .containsExactly(
                        "NodeStageVolume mount-5 OK",
                        "NodePublishVolume a OK",
                        "NodeUnpublishVolume a OK",
                        "NodePublishVolume a OK");
        assertThat(status().lastError())
                .contains("nothing is mounted at " + target)
                .contains("NodeVolumeOptions.publishesWithoutMount");
        assertThat(status().uses().get(0).state()).isEqualTo(State.MOUNTING);
        assertThat(bench.events)
                .filteredOn(event -> event.kind() == Kind.STEP_FAILED)
                .anyMatch(event -> event.message().contains("nothing is mounted at " + target));
        assertThat(bench.events).noneMatch(event -> event.kind() == Kind.MOUNTED);
        bench.node.mountsNothing = false;
        assertThat(bench.done(mount).targetPath()).isEqualTo(target);
        assertThat(status().lastError()).isEmpty();
    }

    /** The process ends after a publish that mounted nothing: before its unpublish, during it, and after it. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void crashBetweenEmptyPublishAndItsUnpublishLeavesNoPublishThatCounts(boolean forgets) {
        boolean seenBefore = false;
        boolean seenAfter = false;
        for (int millis = 0; millis <= 20; millis++) {
            String allocation = "a" + millis;
            Path mounted = Path.of(bench.target("v", allocation));
            bench.node.log.clear();
            bench.node.mountsNothing = true;
            CompletableFuture<MountedVolume> lost = bench.mount("v", allocation);
            while (!bench.node.log.contains("NodePublishVolume " + allocation + " OK")) {
                bench.time.advance(Duration.ofMillis(1));
            }
            bench.time.advance(Duration.ofMillis(millis));
            boolean unpublished = bench.node.log.contains("NodeUnpublishVolume " + allocation + " OK");
            seenBefore |= !unpublished;
            seenAfter |= unpublished;
            bench.crash();
            assertThat(lost).isNotDone();
            bench.node.mountsNothing = false;
            bench.open();
            if (forgets) {
                // Nothing of the mount is repeated after the crash; the host only ends its allocation.
                bench.done(bench.unmount("v", allocation));
            } else {
                MountedVolume volume = bench.done(bench.mount("v", allocation));
                assertThat(volume.targetPath()).isEqualTo(mounted);
                assertThat(bench.node.layers).as("after %s ms", millis).containsEntry(mounted, 1);
                bench.done(bench.unmount("v", allocation));
            }
            assertThat(bench.node.published)
                    .as("after %s ms: %s", millis, bench.node.log)
                    .isEmpty();
            assertThat(bench.node.mounts).isEmpty();
            assertThat(bench.volumes.volumes())
                    .allMatch(volume -> !volume.staged() && volume.uses().isEmpty());
            assertThat(mounted).doesNotExist();
        }
        assertThat(seenBefore).isTrue();
        assertThat(seenAfter).isTrue();
    }

    @Test
    void mountThatNeverAppearsFailsAtItsLimitAndIsUndone() {
        bench.node.mountsNothing = true;
        Throwable error = bench.failed(bench.mount("v", "a"));
        assertThat(error).hasMessageContaining("was not mounted for allocation a within 10 min");
        assertThat(bench.node.published).isEmpty();
        assertThat(bench.volumes.volumes()).isEmpty();
    }

    @Test
    void mountBelowTargetIsNoMountOfTheVolume() {
        bench.node.mountsNothing = true;
        bench.node.mounts.add(target.resolve("below"));
        assertThat(mountFor(Duration.ofMinutes(1))).isNotDone();
        assertThat(status().lastError()).contains(target.toString());
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void targetThatIsLinkFailsTheMountAndIsUnpublished(boolean withoutMount, @TempDir Path outside) throws IOException {
        if (withoutMount) {
            pluginPublishesWithoutMount();
        }
        bench.node.linksTo = outside;
        assertThat(bench.failed(bench.mount("v", "a")))
                .isInstanceOfSatisfying(
                        NodeVolumeException.class,
                        failure -> assertThat(failure.reason()).isEqualTo(Reason.TARGET_NOT_A_MOUNT))
                .hasMessageContaining(target + " is a symbolic link");
        assertThat(bench.node.log)
                .containsExactly(
                        "NodeStageVolume mount-5 OK",
                        "NodePublishVolume a OK",
                        "NodeUnpublishVolume a OK",
                        "NodeUnstageVolume mount-5 OK");
        assertThat(bench.node.published).isEmpty();
        assertThat(bench.volumes.volumes()).isEmpty();
        assertThat(target).doesNotExist();
        assertThat(outside).isEmptyDirectory();
        bench.node.linksTo = null;
        bench.done(bench.mount("v", "a"));
        assertThat(Files.isDirectory(target, LinkOption.NOFOLLOW_LINKS)).isTrue();
    }

    /** The process ends between the publish and the failure, so that no request is left that could fail. */
    @Test
    void linkOfAMountThatNoRequestWaitsForIsUnpublishedAtTheRelease(@TempDir Path outside) {
        bench.node.linksTo = outside;
        CompletableFuture<MountedVolume> lost = bench.mount("v", "a");
        while (!bench.node.log.contains("NodePublishVolume a OK")) {
            bench.time.advance(Duration.ofMillis(1));
        }
        bench.crash();
        bench.open();
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(lost).isNotDone();
        assertThat(status().uses().get(0).state()).isEqualTo(State.MOUNTING);
        assertThat(bench.events).noneMatch(event -> event.kind() == Kind.MOUNTED);
        bench.done(bench.unmount("v", "a"));
        assertThat(bench.node.published).isEmpty();
        assertThat(bench.volumes.volumes())
                .allMatch(volume -> !volume.staged() && volume.uses().isEmpty());
        assertThat(target).doesNotExist();
    }

    @Test
    void answerCountsIfHostSaysThatPluginPublishesWithoutMount() {
        pluginPublishesWithoutMount();
        bench.node.mountsNothing = true;
        assertThat(bench.done(bench.mount("v", "a")).targetPath()).isEqualTo(target);
        bench.restart();
        bench.done(bench.volumes.check());
        assertThat(bench.node.publishRequests).hasSize(1);
    }

    @Test
    void optionOfOnePluginIsNotThatOfAnother() {
        bench.crash();
        bench.options = Bench.unsynced()
                .publishesWithoutMount(List.of(PluginId.of("other")))
                .build();
        bench.open();
        bench.node.mountsNothing = true;
        assertThat(mountFor(Duration.ofMinutes(1))).isNotDone();
    }

    @Test
    void publishIsUnfinishedWhileMountTableIsUnreadable() {
        bench.node.fates = rpc -> {
            bench.node.tableFails = true;
            return Fate.OK;
        };
        CompletableFuture<MountedVolume> mount = mountFor(Duration.ofMinutes(1));
        assertThat(mount).isNotDone();
        bench.node.fates = rpc -> Fate.OK;
        bench.node.tableFails = false;
        bench.done(mount);
        assertThat(bench.node.layers).containsEntry(target, 1);
    }

    /** Some plugins create the device at the target with mknod. */
    @Test
    void blockDeviceAtTargetCountsWithoutMountAndFileDoesNot() throws Exception {
        assumeTrue("root".equals(System.getProperty("user.name")), "needs root");
        bench.node.mountsNothing = true;
        CompletableFuture<MountedVolume> mount = bench.volumes.mount(NodeMount.builder(
                        Bench.id("v"),
                        AllocationId.of("a"),
                        RequestedCapability.block(VolumeAccessMode.SINGLE_NODE_WRITER))
                .build());
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(mount).isNotDone();
        bench.node.device = true;
        assertThat(bench.done(mount).targetPath()).isEqualTo(target);
    }
}
