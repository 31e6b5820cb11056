package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeStatus.State;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The status of a volume says what its work waits for, which call is in flight, and which mounts are broken. */
class VolumeStatusTest {
    private static final VolumeKey KEY = VolumeKey.of("ns", "v");
    private static final Duration MOMENT = Duration.ofSeconds(3);

    @TempDir
    private Path base;

    private Bench bench;
    private Path target;

    @BeforeEach
    void mounted() {
        bench = new Bench(base, 5, true);
        target = Path.of(bench.target("v", "a"));
        bench.done(bench.mount("v", "a"));
    }

    private NodeVolumeStatus status() {
        return bench.volumes.status(KEY).orElseThrow();
    }

    private void unmount() {
        CompletableFuture<Void> unused = bench.unmount("v", "a");
        bench.time.advance(MOMENT);
    }

    private CompletableFuture<Void> order() {
        CompletableFuture<Void> ordered = bench.volumes.unmountDirectly(
                new NodeUnmount(Bench.id("v"), AllocationId.of("a")), "alice", "the driver was killed");
        bench.time.advance(MOMENT);
        return ordered;
    }

    @Test
    void finishedVolumeHasNoUnfinishedWork() {
        assertThat(status().unfinishedFor()).isZero();
        assertThat(status().call()).isEmpty();
        assertThat(status().id()).contains(Bench.id("v"));
        assertThat(status().uses()).singleElement().satisfies(use -> {
            assertThat(use.state()).isEqualTo(State.MOUNTED);
            assertThat(use.capability()).contains(Bench.MANY);
            assertThat(use.problem()).isEmpty();
        });
    }

    @Test
    void hangingCallIsShownWithItsAge() {
        CompletableFuture<Void> unused = bench.unmount("v", "a");
        bench.time.advance(Duration.ofMillis(2));
        assertThat(status().call()).hasValueSatisfying(call -> {
            assertThat(call.rpc()).isEqualTo(Rpc.NODE_UNPUBLISH_VOLUME);
            assertThat(call.age()).isEqualTo(Duration.ofMillis(2));
        });
        assertThat(status().unfinishedFor()).isPositive();
    }

    @Test
    void failingUnmountIsShownWithItsErrorAndTheWayOut() {
        bench.node.fates = rpc -> ScriptedNode.Fate.REFUSED;
        unmount();
        assertThat(status().lastError()).contains("INVALID_ARGUMENT");
        assertThat(status().waitingFor())
                .containsSubsequence(
                        "restart the plugin if it does not answer",
                        "unmount the volume by hand",
                        "order that the unmount is forgotten");
        assertThat(status().unfinishedFor()).isBetween(MOMENT, MOMENT.plusMillis(10));
    }

    @Test
    void orderedDirectUnmountSaysThatItWaitsForMissingPlugin() {
        bench.node.there = false;
        unmount();
        CompletableFuture<Void> ordered = order();
        assertThat(status().waitingFor())
                .contains(
                        "its direct unmount for allocation a", "ordered by alice", "waits for its plugin, which is not")
                .contains("it has to answer NodeUnpublishVolume first");
        assertThat(bench.failed(ordered)).hasMessageContaining("it has to answer NodeUnpublishVolume first");
    }

    @Test
    void orderedDirectUnmountSaysThatItWaitsForAnotherAnswer() {
        bench.node.fates = rpc -> ScriptedNode.Fate.REFUSED;
        unmount();
        CompletableFuture<Void> unused = order();
        assertThat(status().waitingFor()).contains("to answer NodeUnpublishVolume with OK or NOT_FOUND");
        assertThat(status().lastError()).contains("INVALID_ARGUMENT");
    }

    @Test
    void orderedDirectUnmountSaysThatNothingIsMounted() {
        bench.node.fates = rpc -> ScriptedNode.Fate.REFUSED;
        unmount();
        CompletableFuture<Void> unused = order();
        bench.node.unmount(target);
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(status().waitingFor())
                .contains("nothing is mounted at its target", "order that the unmount is forgotten");
    }

    @Test
    void orderedDirectUnmountSaysThatMountTableCannotBeRead() {
        bench.node.there = false;
        unmount();
        CompletableFuture<Void> unused = order();
        bench.node.tableFails = true;
        bench.time.advance(MOMENT);
        assertThat(status().waitingFor()).contains("waits for the mount table, which cannot be read");
    }

    @Test
    void brokenMountIsShownUntilItIsSound() {
        bench.probe = path -> CompletableFuture.completedFuture(PathProbe.Finding.BROKEN);
        bench.done(bench.volumes.check());
        assertThat(status().stagingProblem()).contains("the mount fails");
        assertThat(status().uses())
                .singleElement()
                .satisfies(use -> assertThat(use.problem()).contains("the mount fails"));
        bench.probe = path -> CompletableFuture.completedFuture(PathProbe.Finding.NO_ANSWER);
        bench.done(bench.volumes.check());
        assertThat(status().uses())
                .singleElement()
                .satisfies(use -> assertThat(use.problem()).isEqualTo("the mount does not answer"));
        bench.probe = path -> CompletableFuture.completedFuture(PathProbe.Finding.SOUND);
        bench.done(bench.volumes.check());
        assertThat(status().stagingProblem()).isEmpty();
        assertThat(status().uses())
                .singleElement()
                .satisfies(use -> assertThat(use.problem()).isEmpty());
    }

    @Test
    void ledgerThatCannotBeWrittenIsShown() {
        bench.checkpoint = () -> {
            throw new IOException("no space left on the device");
        };
        CompletableFuture<MountedVolume> unused = bench.mount("v", "b");
        bench.node.unmount(target);
        bench.done(bench.volumes.check());
        assertThat(status().lastError()).contains("no space left on the device");
        assertThat(status().waitingFor()).contains("no space left on the device; the work waits until that is mended");
        assertThat(status().unfinishedFor()).isPositive();
    }

    @Test
    void reasonJoinsWaitAndLastErrorIfThereAreBoth() {
        assertThat(with("it waits", "it failed").reason()).isEqualTo("it waits; it failed");
        assertThat(with("it waits", "").reason()).isEqualTo("it waits");
        assertThat(with("", "it failed").reason()).isEqualTo("it failed");
        assertThat(with("", "").reason()).isEmpty();
    }

    private static NodeVolumeStatus with(String waitingFor, String lastError) {
        return new NodeVolumeStatus(
                KEY,
                Optional.empty(),
                false,
                false,
                "",
                List.of(),
                Optional.empty(),
                waitingFor,
                lastError,
                Duration.ZERO);
    }
}
