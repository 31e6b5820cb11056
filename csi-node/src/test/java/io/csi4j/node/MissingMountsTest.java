package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeStatus.State;
import io.csi4j.node.ScriptedNode.Fate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Recorded mounts that are missing, with plugins that trust their own records. */
class MissingMountsTest {
    @TempDir
    Path base;

    private Bench bench;
    private Path target;
    private Path staging;

    @BeforeEach
    void mount() {
        bench = new Bench(base, 1, true);
        bench.node.byRecord = true;
        bench.done(bench.mount("v", "a"));
        target = Path.of(bench.target("v", "a"));
        staging = Path.of(bench.node.staged.get("ext-v"));
        bench.node.log.clear();
        bench.events.clear();
    }

    @AfterEach
    void noRuleWasBroken() {
        assertThat(bench.node.violations).isEmpty();
    }

    private List<String> calls() {
        List<String> calls = List.copyOf(bench.node.log);
        bench.node.log.clear();
        return calls;
    }

    private long reported(Kind kind) {
        return bench.events.stream().filter(event -> event.kind() == kind).count();
    }

    private NodeVolumeStatus status() {
        return bench.volumes.status(VolumeKey.of("ns", "v")).orElseThrow();
    }

    private State state() {
        return status().uses().get(0).state();
    }

    private void query() {
        bench.done(bench.volumes.check());
    }

    @Test
    void missingTargetIsUnpublishedAndPublishedAgain() {
        bench.node.mounts.remove(target);
        query();
        assertThat(calls()).containsExactly("NodeUnpublishVolume a OK", "NodePublishVolume a OK");
        assertThat(bench.node.mounts).contains(target);
        assertThat(reported(Kind.MOUNT_MISSING)).isEqualTo(1);
        assertThat(reported(Kind.MOUNTED)).isEqualTo(1);
        query();
        assertThat(calls()).isEmpty();
    }

    @Test
    void repairOfMissingMountResumesAfterCrash() {
        for (int millis = 0; millis < 12; millis++) {
            bench.node.mounts.remove(target);
            CompletableFuture<Void> unused = bench.volumes.check();
            bench.time.advance(Duration.ofMillis(millis));
            bench.restart();
            bench.time.advance(Duration.ofMinutes(1));
            assertThat(bench.node.mounts).as("killed after %s ms", millis).contains(target);
            assertThat(state()).isEqualTo(State.MOUNTED);
        }
    }

    @Test
    void volumeIsUnstagedAndStagedAgainIfAllItsMountsAreMissing() {
        bench.node.mounts.clear();
        query();
        assertThat(calls())
                .containsExactly(
                        "NodeUnpublishVolume a OK",
                        "NodeUnstageVolume mount-5 OK",
                        "NodeStageVolume mount-5 OK",
                        "NodePublishVolume a OK");
        assertThat(bench.node.mounts).containsExactlyInAnyOrder(staging, target);
    }

    @Test
    void mountedTargetsAreKeptIfStagingMountIsMissing() {
        bench.done(bench.mount("v", "b"));
        calls();
        bench.node.byRecord = false;
        bench.node.living.add(target.toString());
        bench.node.mounts.remove(staging);
        bench.node.mounts.remove(Path.of(bench.target("v", "b")));
        query();
        assertThat(calls())
                .containsExactly("NodeUnpublishVolume b OK", "NodeStageVolume mount-5 OK", "NodePublishVolume b OK");
        assertThat(bench.node.mounts).contains(staging, target, Path.of(bench.target("v", "b")));
    }

    @Test
    void targetIsUnpublishedAndPublishedAgainIfMissingAfterSuccessfulPublish() {
        bench.node.mountsNothing = true;
        bench.node.mounts.remove(target);
        CompletableFuture<Void> unused = bench.volumes.check();
        bench.time.advance(Duration.ofMillis(100));
        CompletableFuture<MountedVolume> asked = bench.mount("v", "a");
        bench.time.advance(Duration.ofMinutes(5));
        assertThat(asked).isNotDone();
        assertThat(reported(Kind.MOUNTED)).isZero();
        assertThat(reported(Kind.MOUNT_MISSING)).isEqualTo(1);
        assertThat(state()).isEqualTo(State.MOUNTING);
        assertThat(status().lastError()).contains("nothing is mounted at " + target);
        assertThat(calls()).hasSizeBetween(6, 60);
        bench.node.mountsNothing = false;
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(asked).isCompleted();
        assertThat(bench.node.mounts).contains(target);
        assertThat(reported(Kind.MOUNTED)).isEqualTo(1);
        assertThat(state()).isEqualTo(State.MOUNTED);
    }

    @Test
    void volumeIsUnstagedAndStagedAgainIfMissingAfterSuccessfulStage() {
        bench.node.mountsNothing = true;
        bench.node.mounts.clear();
        query();
        bench.restart();
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(calls()).doesNotContain("NodePublishVolume a OK");
        assertThat(status().staged()).isFalse();
        assertThat(reported(Kind.MOUNTED)).isZero();
        bench.node.mountsNothing = false;
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(bench.node.mounts).containsExactlyInAnyOrder(staging, target);
        assertThat(status().staged()).isTrue();
    }

    /** The plugin's record survives the reboot, but the mounts do not. */
    @Test
    void publishAfterRebootIsRepeatedIfTargetIsMissingAfterSuccess() {
        bench.crash();
        bench.node.mounts.clear();
        bench.node.boot = "boot-2";
        bench.open();
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.node.mounts).containsExactlyInAnyOrder(staging, target);
        assertThat(reported(Kind.MOUNTED)).isEqualTo(1);
        assertThat(calls()).contains("NodeUnpublishVolume a OK", "NodeUnstageVolume mount-5 OK");
    }

    @Test
    void recordThatTargetWasMountedIsKeptIfMountTableIsUnreadable() throws IOException {
        bench.crash();
        bench = new Bench(Files.createDirectory(base.resolve("direct")), 1, false);
        bench.node.byRecord = true;
        bench.done(bench.mount("v", "a"));
        target = Path.of(bench.target("v", "a"));
        bench.crash();
        bench.node.mounts.clear();
        bench.node.boot = "boot-2";
        bench.node.tableFails = true;
        bench.open();
        bench.time.advance(Duration.ofMinutes(1));
        // As long as the table is unreadable, the answer of the plugin does not count.
        assertThat(bench.node.publishRequests).hasSizeGreaterThan(1);
        assertThat(bench.node.mounts).isEmpty();
        bench.node.tableFails = false;
        query();
        bench.time.advance(Duration.ofMinutes(5));
        assertThat(bench.node.mounts).containsExactly(target);
    }

    @Test
    void mountRequestAfterRebootCompletesWhenVolumeIsMounted() {
        bench.crash();
        bench.node.reboot();
        bench.node.fates = rpc -> rpc == Rpc.NODE_STAGE_VOLUME ? Fate.UNAVAILABLE : Fate.OK;
        bench.open();
        assertThat(state()).isEqualTo(State.MOUNTING);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(state()).isEqualTo(State.MOUNTING);
        assertThat(status().staged()).isFalse();
        bench.node.fates = rpc -> Fate.OK;
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(state()).isEqualTo(State.MOUNTED);
        assertThat(status().staged()).isTrue();
    }
}
