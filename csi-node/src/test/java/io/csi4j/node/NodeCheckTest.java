package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.PathProbe.Finding;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Periodic checks of mounts, and the events that report their results. */
class NodeCheckTest {
    @TempDir
    Path base;

    private Bench bench;

    @BeforeEach
    void open() {
        bench = new Bench(base, 1, true);
        bench.checkPeriod = Duration.ofMinutes(1);
        bench.restart();
    }

    private long reported(Kind kind) {
        return bench.events.stream().filter(event -> event.kind() == kind).count();
    }

    private void findings(Finding finding) {
        bench.probe = path -> CompletableFuture.completedFuture(finding);
    }

    @Test
    void missingMountIsDetectedAndRestored() {
        bench.done(bench.mount("v", "a"));
        bench.node.mounts.remove(Path.of(bench.target("v", "a")));
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(bench.node.mounts).contains(Path.of(bench.target("v", "a")));
        assertThat(reported(Kind.MOUNT_MISSING)).isEqualTo(1);
    }

    /** A request that arrives while the mount table is unreadable must not treat an existing mount as an orphan. */
    @Test
    void unrecordedMountIsKeptIfMountTableIsUnreadableDuringNewRequest() {
        bench.crash();
        Path leftover = Path.of(bench.target("lost", "a"));
        bench.node.mounts.add(leftover);
        bench.node.tableFails = true;
        bench.open();
        CompletableFuture<MountedVolume> other = bench.mount("lost", "b");
        CompletableFuture<MountedVolume> free = bench.mount("free", "b");
        bench.time.advance(Duration.ofSeconds(5));
        bench.node.tableFails = false;
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(free).isCompleted();
        assertThat(bench.node.mounts).as("%s", bench.node.log).contains(leftover);
        assertThat(other).isCompleted();
        bench.done(bench.unmount("lost", "a"));
        assertThat(bench.node.mounts).doesNotContain(leftover);
    }

    @Test
    void unrecordedMountIsReportedWhenMountTableBecomesReadable() {
        bench.crash();
        Path leftover = Path.of(bench.target("lost", "a"));
        bench.node.mounts.add(leftover);
        Path nobodys = leftover.getParent().getParent().resolve("mounted-by-hand");
        bench.node.mounts.add(nobodys);
        bench.node.tableFails = true;
        bench.open();
        bench.time.advance(Duration.ofMinutes(5));
        assertThat(bench.volumes.volumes()).isEmpty();
        bench.node.tableFails = false;
        bench.time.advance(Duration.ofMinutes(5));
        assertThat(bench.volumes.volumes())
                .singleElement()
                .satisfies(status -> assertThat(status.volume()).isEqualTo(VolumeKey.of("ns", "lost")));
        assertThat(bench.events)
                .filteredOn(event ->
                        event.kind() == Kind.OWNER_UNKNOWN && event.volume().isEmpty())
                .singleElement()
                .satisfies(event -> assertThat(event.message()).contains(nobodys.toString()));
    }

    @Test
    void zeroPeriodDisablesChecks() {
        bench.checkPeriod = Duration.ZERO;
        bench.restart();
        bench.done(bench.mount("v", "a"));
        bench.node.mounts.remove(Path.of(bench.target("v", "a")));
        bench.time.advance(Duration.ofHours(5));
        assertThat(bench.node.mounts).doesNotContain(Path.of(bench.target("v", "a")));
        assertThatThrownBy(
                        () -> NodeVolumes.builder(base, id -> Optional.empty()).checkEvery(Duration.ofMillis(-1)))
                .hasMessageContaining("checkEvery");
    }

    @Test
    void brokenMountIsReportedOnceUntilItIsHealthyAgain() {
        bench.done(bench.mount("v", "a"));
        findings(Finding.BROKEN);
        bench.time.advance(Duration.ofHours(1));
        // Expects one event for the staging and one for the target.
        assertThat(reported(Kind.MOUNT_BROKEN)).isEqualTo(2);
        findings(Finding.NO_ANSWER);
        bench.time.advance(Duration.ofHours(1));
        assertThat(reported(Kind.MOUNT_UNRESPONSIVE)).isEqualTo(2);
        findings(Finding.SOUND);
        bench.time.advance(Duration.ofHours(1));
        findings(Finding.BROKEN);
        bench.time.advance(Duration.ofHours(1));
        assertThat(reported(Kind.MOUNT_BROKEN)).isEqualTo(4);
    }

    /** Mounts a volume for allocation a, finds its mounts broken, and requests the volume for allocation b. */
    private CompletableFuture<MountedVolume> mountWithBrokenStaging() {
        bench.done(bench.mount("v", "a"));
        findings(Finding.BROKEN);
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(reported(Kind.MOUNT_BROKEN)).isEqualTo(2);
        CompletableFuture<MountedVolume> other = bench.mount("v", "b");
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(other).isNotDone();
        return other;
    }

    @Test
    void brokenStagingIsRefusedToNewAllocationWhileAnotherUsesIt() {
        CompletableFuture<MountedVolume> other = mountWithBrokenStaging();
        bench.time.advance(NodeVolumeOptions.defaults().mountLimit());
        assertThat(other)
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .withMessageContaining("the mount at its staging path fails");
        assertThat(bench.node.mounts)
                .contains(Path.of(bench.target("v", "a")))
                .doesNotContain(Path.of(bench.target("v", "b")));
    }

    @Test
    void brokenStagingIsStagedAgainForNewAllocationWhenLastOtherUseEnds() {
        CompletableFuture<MountedVolume> other = mountWithBrokenStaging();
        int before = bench.node.log.size();
        bench.done(bench.unmount("v", "a"));
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(other).isCompleted();
        assertThat(bench.node.log.subList(before, bench.node.log.size()))
                .extracting(call -> call.split(" ", -1)[0])
                .containsExactly("NodeUnpublishVolume", "NodeUnstageVolume", "NodeStageVolume", "NodePublishVolume");
    }

    @Test
    void newAllocationGetsStagingThatAnswersAgain() {
        CompletableFuture<MountedVolume> other = mountWithBrokenStaging();
        findings(Finding.SOUND);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(other).isCompleted();
    }

    @Test
    void failureOfForgottenStagingSaysNothingAboutTheNextStaging() {
        bench.done(bench.mount("v", "a"));
        findings(Finding.BROKEN);
        bench.time.advance(Duration.ofMinutes(2));
        bench.node.there = false;
        CompletableFuture<Void> unused = bench.unmount("v", "a");
        bench.time.advance(Duration.ofSeconds(3));
        bench.node.mounts.clear();
        bench.node.layers.clear();
        bench.done(bench.volumes.forgetUnmount(
                VolumeKey.of("ns", "v"), AllocationId.of("a"), "alice", "the driver was installed again"));
        bench.node.there = true;
        bench.node.staged.clear();
        bench.node.published.clear();
        bench.node.log.clear();
        int[] calls = new int[1];
        bench.node.fates = rpc -> calls[0]++ == 0 ? ScriptedNode.Fate.UNAVAILABLE : ScriptedNode.Fate.OK;
        bench.done(bench.mount("v", "b"));
        assertThat(bench.node.log)
                .extracting(call -> call.split(" ", -1)[0])
                .containsExactly("NodeStageVolume", "NodeStageVolume", "NodePublishVolume");
    }

    @Test
    void checksDoNotOverlap() {
        bench.done(bench.mount("v", "a"));
        int[] queries = new int[1];
        CompletableFuture<Finding> slow = new CompletableFuture<>();
        bench.probe = path -> {
            queries[0]++;
            return slow;
        };
        bench.time.advance(Duration.ofMinutes(4));
        assertThat(queries[0]).isEqualTo(2);
        slow.complete(Finding.SOUND);
        bench.time.advance(Duration.ofMinutes(10));
        assertThat(queries[0]).isGreaterThan(10);
    }

    @Test
    void mountsAreNotCheckedAfterStop() {
        bench.done(bench.mount("v", "a"));
        bench.done(bench.volumes.stop());
        bench.probe = path -> {
            throw new AssertionError("unexpected check of " + path);
        };
        bench.node.tableFails = true;
        bench.time.advance(Duration.ofHours(1));
        assertThat(reported(Kind.MOUNT_MISSING)).isZero();
    }

    @Test
    void checkEndsAndReportsMountThoughItsProbeNeverAnswers() {
        bench.done(bench.mount("v", "a"));
        bench.probe = path -> new CompletableFuture<>();
        CompletableFuture<Void> check = bench.volumes.check();
        bench.time.advance(Duration.ofMinutes(4));
        assertThat(check).isNotDone();
        assertThat(reported(Kind.MOUNT_UNRESPONSIVE)).isZero();
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(check).isCompleted();
        assertThat(reported(Kind.MOUNT_UNRESPONSIVE)).isEqualTo(2);
    }

    @Test
    void probeThatFailsDoesNotMakeItsMountBroken() {
        bench.done(bench.mount("v", "a"));
        bench.probe = path -> {
            throw new IllegalStateException("a bug of the host");
        };
        bench.done(bench.volumes.check());
        assertThat(reported(Kind.MOUNT_BROKEN)).isZero();
        assertThat(reported(Kind.MOUNT_UNRESPONSIVE)).isEqualTo(2);
    }

    @Test
    void statusNamesTheProblemOfMountAndOfStagingUntilTheyAreSound() {
        bench.done(bench.mount("v", "a"));
        findings(Finding.BROKEN);
        bench.done(bench.volumes.check());
        problems("the mount fails: its attributes cannot be read; unmount it and mount it again");
        findings(Finding.NO_ANSWER);
        bench.done(bench.volumes.check());
        problems("the mount does not answer");
        findings(Finding.SOUND);
        bench.done(bench.volumes.check());
        problems("");
    }

    private void problems(String problem) {
        NodeVolumeStatus status = bench.volumes.status(VolumeKey.of("ns", "v")).orElseThrow();
        assertThat(status.stagingProblem()).isEqualTo(problem);
        assertThat(status.uses()).extracting(NodeVolumeStatus.Use::problem).containsExactly(problem);
    }

    @Test
    void reportOfLedgerWaitsForTheSearchForUnrecordedMounts() {
        bench.crash();
        bench.checkPeriod = Duration.ZERO;
        bench.node.mounts.add(Path.of(bench.target("lost", "a")));
        bench.node.tableFails = true;
        bench.open();
        assertThat(bench.failed(bench.volumes.ledger()))
                .isInstanceOfSatisfying(
                        NodeVolumeException.class,
                        e -> assertThat(e.reason()).isEqualTo(NodeVolumeException.Reason.LEDGER))
                .hasMessageContaining("The mount table of this node cannot be read");
        bench.node.tableFails = false;
        assertThat(bench.done(bench.volumes.ledger()).unclear()).containsExactly(VolumeKey.of("ns", "lost"));
        assertThat(bench.events)
                .filteredOn(event -> event.kind() == Kind.OWNER_UNKNOWN)
                .extracting(NodeVolumeEvent::volume)
                .containsExactly(Optional.of(VolumeKey.of("ns", "lost")));
        bench.node.tableFails = true;
        assertThat(bench.done(bench.volumes.ledger()).unclear()).containsExactly(VolumeKey.of("ns", "lost"));
    }
}
