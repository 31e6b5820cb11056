package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.lifecycle.HealthVerdict;
import io.csi4j.core.lifecycle.VolumeHealthReport;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.ScriptedNode.Fate;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class NodeVolumesTest {
    @TempDir
    Path base;

    private Bench bench;

    @BeforeEach
    void open() {
        bench = new Bench(base, 1, true);
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

    /** Sets the results of the first calls of an RPC; all later calls are answered with OK. */
    private void fates(Rpc rpc, Fate... fates) {
        Deque<Fate> left = new ArrayDeque<>(List.of(fates));
        bench.node.fates = called -> called == rpc && !left.isEmpty() ? left.remove() : Fate.OK;
    }

    private void nothingIsLeft() throws IOException {
        bench.time.advance(Duration.ofHours(3));
        assertThat(bench.node.mounts).isEmpty();
        assertThat(bench.node.staged).isEmpty();
        assertThat(bench.volumes.volumes()).isEmpty();
        for (String directory : List.of("staging", "publish")) {
            try (Stream<Path> left =
                    Files.exists(base.resolve(directory)) ? Files.list(base.resolve(directory)) : Stream.empty()) {
                assertThat(left).isEmpty();
            }
        }
        try (Stream<Path> records = Files.walk(base.resolve("ledger"))) {
            assertThat(records.map(Path::toString).filter(name -> name.contains(".rec")))
                    .isEmpty();
        }
    }

    @Test
    void mountAndUnmountNeedFourWritesAndOneRemoval() throws IOException {
        int[] checkpoints = {0};
        bench.checkpoint = () -> checkpoints[0]++;
        bench.done(bench.mount("v", "a"));
        assertThat(checkpoints[0]).as("two checkpoints for each write").isEqualTo(2 * 2);
        bench.done(bench.unmount("v", "a"));
        assertThat(checkpoints[0]).isEqualTo(2 * 5);
        nothingIsLeft();
    }

    @Test
    void crashDuringAnyCallOfMountLeavesNothingAfterUnmount() throws IOException {
        for (int millis = 1; millis < 12; millis++) {
            var unused = bench.mount("v", "a");
            bench.time.advance(Duration.ofMillis(millis));
            bench.restart();
            bench.done(bench.unmount("v", "a"));
            nothingIsLeft();
        }
    }

    @Test
    void volumeIsStagedAgainIfProcessIsKilledDuringNodeUnstageVolume() {
        bench.done(bench.mount("v", "a"));
        calls();
        var unused = bench.unmount("v", "a");
        bench.time.advance(Duration.ofMillis(8));
        assertThat(calls()).containsExactly("NodeUnpublishVolume a OK", "NodeUnstageVolume mount-5 OK");
        bench.restart();
        bench.done(bench.mount("v", "b"));
        assertThat(calls())
                .containsExactly(
                        "NodeUnpublishVolume a OK",
                        "NodeUnstageVolume mount-5 OK",
                        "NodeStageVolume mount-5 OK",
                        "NodePublishVolume b OK");
    }

    @Test
    void useWithOtherMountOptionsIsMountedAfterCrashDuringStagingOfEarlierUse() {
        NodeMount other = Bench.request("v", "b")
                .mountOptions(MountOptions.of("xfs", "noatime"))
                .build();
        var unusedFirst = bench.mount("v", "a");
        bench.time.advance(Duration.ofMillis(1));
        var unusedEnd = bench.unmount("v", "a");
        var unusedSecond = bench.volumes.mount(other);
        bench.time.advance(Duration.ofMillis(1));
        assertThat(calls()).containsExactly("NodeStageVolume mount-5 OK");
        bench.restart();
        MountedVolume mounted = bench.done(bench.volumes.mount(other));
        assertThat(mounted.targetPath().toString()).isEqualTo(bench.target("v", "b"));
    }

    @Test
    void volumeStaysStagedForMountThatArrivesDuringLastNodeUnpublishVolume() {
        bench.done(bench.mount("v", "a"));
        calls();
        var unused = bench.unmount("v", "a");
        bench.time.advance(Duration.ofMillis(2));
        bench.done(bench.mount("v", "b"));
        assertThat(calls()).containsExactly("NodeUnpublishVolume a OK", "NodePublishVolume b OK");
    }

    @Test
    void volumeIsStagedOnceAndUnstagedAfterLastUse() throws IOException {
        MountedVolume mounted = bench.done(bench.mount("v", "a"));
        assertThat(mounted.targetPath()).hasToString(bench.target("v", "a"));
        bench.done(bench.mount("v", "b"));
        bench.done(bench.unmount("v", "a"));
        bench.done(bench.unmount("v", "b"));
        assertThat(calls())
                .containsExactly(
                        "NodeStageVolume mount-5 OK",
                        "NodePublishVolume a OK",
                        "NodePublishVolume b OK",
                        "NodeUnpublishVolume a OK",
                        "NodeUnpublishVolume b OK",
                        "NodeUnstageVolume mount-5 OK");
        nothingIsLeft();
    }

    @Test
    void volumeIsPublishedButNotStagedIfPluginHasNoStaging() throws IOException {
        bench.crash();
        bench = new Bench(base, 1, false);
        bench.done(bench.mount("v", "a"));
        bench.done(bench.unmount("v", "a"));
        assertThat(calls()).containsExactly("NodePublishVolume a OK", "NodeUnpublishVolume a OK");
        nothingIsLeft();
    }

    @Test
    void recordFromEarlierProcessIsWrittenAgainBeforeNextPluginCall() {
        var unused = bench.mount("v", "a");
        bench.time.advance(Duration.ofMillis(1));
        assertThat(calls()).containsExactly("NodeStageVolume mount-5 OK");
        bench.crash();
        List<Integer> callsAtWrites = new ArrayList<>();
        bench.checkpoint = () -> callsAtWrites.add(bench.node.log.size());
        bench.open();
        bench.time.advance(Duration.ofSeconds(1));
        // The earlier process may not have synced the record, so the record is written again before the same call.
        assertThat(callsAtWrites).startsWith(0, 0);
        assertThat(calls()).containsExactly("NodeStageVolume mount-5 OK", "NodePublishVolume a OK");
        callsAtWrites.clear();
        bench.done(bench.mount("v", "a"));
        assertThat(callsAtWrites).isEmpty();
    }

    @Test
    void repeatedMountAndUnmountRequestsSucceedWithoutFurtherCalls() {
        bench.done(bench.mount("v", "a"));
        bench.done(bench.mount("v", "a"));
        assertThat(calls()).hasSize(2);
        bench.done(bench.unmount("v", "a"));
        bench.done(bench.unmount("v", "a"));
        bench.done(bench.unmount("never", "seen"));
        assertThat(calls()).hasSize(2);
    }

    @ParameterizedTest
    @EnumSource(
            value = Fate.class,
            names = {"LOST_ANSWER", "NOT_DONE", "LATE", "UNAVAILABLE", "ABORTED"})
    void callWithLostResponseIsRepeated(Fate fate) throws IOException {
        for (Rpc rpc : List.of(Rpc.NODE_STAGE_VOLUME, Rpc.NODE_PUBLISH_VOLUME)) {
            fates(rpc, fate, fate);
            bench.done(bench.mount("v", "a"));
            bench.done(bench.unmount("v", "a"));
            assertThat(calls().stream().filter(call -> call.startsWith(rpc.csiName() + " ")))
                    .hasSize(3);
        }
        if (fate != Fate.LATE) {
            for (Rpc rpc : List.of(Rpc.NODE_UNPUBLISH_VOLUME, Rpc.NODE_UNSTAGE_VOLUME)) {
                fates(rpc, fate, fate);
                bench.done(bench.mount("v", "a"));
                bench.done(bench.unmount("v", "a"));
                assertThat(calls().stream().filter(call -> call.startsWith(rpc.csiName() + " ")))
                        .hasSize(3);
            }
        }
        nothingIsLeft();
    }

    @ParameterizedTest
    @EnumSource(
            value = Rpc.class,
            names = {"NODE_STAGE_VOLUME", "NODE_PUBLISH_VOLUME"})
    void directoriesAreRemovedAfterCompletionDespiteUnknownOutcome(Rpc rpc) throws IOException {
        fates(rpc, Fate.UNAVAILABLE);
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        bench.time.advance(Duration.ofMillis(8));
        Path targets = Path.of(bench.target("v", "a")).getParent();
        assertThat(targets).exists();
        CompletableFuture<Void> reported = bench.unmount("v", "a");
        // Schedules the stop for the same time at which the unmount completes.
        CompletableFuture<Void> stopped = reported.thenRun(() -> bench.time.schedule(Duration.ZERO, () -> {
            assertThat(targets.getParent()).doesNotExist();
            assertThat(base.resolve("staging/ns")).doesNotExist();
        }));
        bench.time.advance(Duration.ofSeconds(30));
        assertThat(stopped).isCompleted();
        assertThat(mount).isCompletedExceptionally();
        bench.done(CompletableFuture.completedFuture(null));
        nothingIsLeft();
    }

    @ParameterizedTest
    @EnumSource(
            value = Rpc.class,
            names = {"NODE_STAGE_VOLUME", "NODE_PUBLISH_VOLUME"})
    void refusedMountFailsAndIsUndone(Rpc rpc) throws IOException {
        fates(rpc, Fate.REFUSED);
        assertThat(bench.failed(bench.mount("v", "a")))
                .isInstanceOfSatisfying(
                        CsiCallException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.INVALID_ARGUMENT));
        assertThat(calls()).last().isEqualTo("NodeUnstageVolume mount-5 OK");
        nothingIsLeft();
        bench.done(bench.mount("v", "a"));
    }

    @Test
    void targetMountedByLatePublishAfterMountWasUndoneIsUnpublished() throws IOException {
        bench.done(bench.mount("v", "b"));
        fates(Rpc.NODE_PUBLISH_VOLUME, Fate.LATE);
        CompletableFuture<MountedVolume> late = bench.mount("v", "a");
        bench.time.advance(Duration.ofMillis(8));
        late.cancel(false);
        bench.time.advance(Duration.ofSeconds(30));
        assertThat(bench.node.published).doesNotContainKey(bench.target("v", "a"));
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(bench.node.published).containsKey(bench.target("v", "a"));
        bench.done(bench.volumes.check());
        assertThat(bench.node.published).containsOnlyKeys(bench.target("v", "b"));
        assertThat(bench.events).extracting(NodeVolumeEvent::kind).contains(Kind.ORPHAN_FOUND);
        bench.done(bench.unmount("v", "b"));
        nothingIsLeft();
    }

    @Test
    void cancelledMountIsUndone() throws IOException {
        for (int millis = 0; millis < 14; millis++) {
            CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
            bench.time.advance(Duration.ofMillis(millis));
            if (mount.cancel(false)) {
                assertThatThrownBy(mount::join).isInstanceOf(CancellationException.class);
                bench.time.advance(Duration.ofMinutes(1));
                assertThat(bench.node.mounts).isEmpty();
            } else {
                assertThat(millis).isGreaterThan(9);
                bench.done(bench.unmount("v", "a"));
            }
        }
        nothingIsLeft();
    }

    @Test
    void mountAndUnmountEndAtTimeLimitsOfHost() {
        bench.options = Bench.unsynced()
                .mountLimit(Duration.ofSeconds(20))
                .unmountLimit(Duration.ofSeconds(10))
                .build();
        bench.crash();
        bench.open();
        bench.node.fates = rpc -> Fate.UNAVAILABLE;
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        bench.time.advance(Duration.ofSeconds(19));
        assertThat(mount).isNotDone();
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(mount).isCompletedExceptionally();
        CompletableFuture<Void> unmount = bench.unmount("v", "a");
        bench.time.advance(Duration.ofSeconds(9));
        assertThat(unmount).isNotDone();
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(unmount).isCompletedExceptionally();
    }

    @Test
    void cancellingOneMountFutureDoesNotCancelOtherFutureOfSameMount() {
        CompletableFuture<MountedVolume> first = bench.mount("v", "a");
        CompletableFuture<MountedVolume> second = bench.mount("v", "a");
        first.cancel(false);
        bench.done(second);
        assertThat(bench.node.published).hasSize(1);
    }

    @Test
    void mountFailsAtTimeLimitAndIsUndone() throws IOException {
        bench.node.fates = rpc -> rpc == Rpc.NODE_PUBLISH_VOLUME ? Fate.UNAVAILABLE : Fate.OK;
        Throwable error = bench.failed(bench.mount("v", "a"));
        assertThat(error)
                .isInstanceOfSatisfying(
                        NodeVolumeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.UNFINISHED))
                .hasMessageContaining("UNAVAILABLE");
        nothingIsLeft();
    }

    @Test
    void unmountFutureFailsAtTimeLimitAndUnmountContinues() {
        bench.done(bench.mount("v", "a"));
        bench.node.fates = rpc -> rpc == Rpc.NODE_UNPUBLISH_VOLUME ? Fate.UNAVAILABLE : Fate.OK;
        assertThat(bench.failed(bench.unmount("v", "a"))).hasMessageContaining("UNAVAILABLE");
        assertThat(bench.volumes.volumes().get(0).uses().get(0).state()).isEqualTo(NodeVolumeStatus.State.UNMOUNTING);
        bench.node.fates = rpc -> Fate.OK;
        bench.done(bench.unmount("v", "a"));
        assertThat(bench.node.mounts).isEmpty();
    }

    @Test
    void mountWithConflictingOptionsFailsWithErrorThatContainsCurrentAllocation() {
        bench.done(bench.mount("v", "a"));
        for (NodeMount other : List.of(
                Bench.request("v", "b")
                        .mountOptions(MountOptions.of("xfs", "noatime"))
                        .build(),
                Bench.request("v", "b")
                        .mountOptions(MountOptions.of("ext4", "secret-flag"))
                        .build(),
                NodeMount.builder(
                                Bench.id("v"),
                                AllocationId.of("b"),
                                RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER))
                        .mountOptions(MountOptions.of("ext4", "noatime"))
                        .build(),
                NodeMount.builder(
                                Bench.id("v"),
                                AllocationId.of("b"),
                                RequestedCapability.block(VolumeAccessMode.MULTI_NODE_MULTI_WRITER))
                        .build())) {
            assertThat(bench.failed(bench.volumes.mount(other)))
                    .isInstanceOfSatisfying(
                            NodeVolumeException.class,
                            e -> assertThat(e.reason()).isEqualTo(Reason.CONFLICT))
                    .hasMessageContaining("allocation a")
                    .hasMessageNotContaining("secret-flag");
        }
        bench.done(bench.volumes.mount(Bench.request("v", "b").readonly(true).build()));
        assertThat(calls()).filteredOn(call -> call.startsWith("NodeStage")).hasSize(1);
    }

    @Test
    void mountWithDifferentOptionsWaitsForEndOfUnstage() {
        bench.done(bench.mount("v", "a"));
        CompletableFuture<Void> unmount = bench.unmount("v", "a");
        CompletableFuture<MountedVolume> next = bench.volumes.mount(
                Bench.request("v", "b").mountOptions(MountOptions.of("xfs")).build());
        bench.done(unmount);
        bench.done(next);
        assertThat(calls())
                .containsSubsequence(
                        "NodeUnpublishVolume a OK", "NodeUnstageVolume mount-5 OK", "NodePublishVolume b OK");
    }

    @Test
    void pluginWithoutStagingAllowsDifferentOptionsPerTarget() {
        bench.crash();
        bench = new Bench(base, 1, false);
        bench.done(bench.mount("v", "a"));
        bench.done(bench.volumes.mount(
                Bench.request("v", "b").mountOptions(MountOptions.of("xfs")).build()));
        assertThat(bench.node.published).hasSize(2);
    }

    @Test
    void callsAreSerialPerVolumeAndConcurrentAcrossVolumes() {
        CompletableFuture<MountedVolume> first = bench.mount("v", "a");
        CompletableFuture<MountedVolume> second = bench.mount("w", "a");
        CompletableFuture<MountedVolume> third = bench.mount("v", "b");
        bench.time.advance(Duration.ofMillis(1));
        assertThat(bench.node.inFlight).containsEntry("ext-v", 1).containsEntry("ext-w", 1);
        bench.done(first);
        bench.done(second);
        bench.done(third);
    }

    @Test
    void mountWaitsForMissingPluginAndStatusShowsReason() {
        bench.node.there = false;
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        bench.time.advance(Duration.ofSeconds(20));
        assertThat(bench.volumes.volumes().get(0).waitingFor()).contains("plugin");
        bench.node.there = true;
        bench.done(mount);
    }

    @Test
    void recordedVolumesAreMountedAgainAfterReboot() {
        bench.done(bench.mount("v", "a"));
        bench.done(bench.mount("v", "b"));
        List<String> before = calls();
        List<NodeStageVolumeRequest> staged = List.copyOf(bench.node.stageRequests);
        List<NodePublishVolumeRequest> published = List.copyOf(bench.node.publishRequests);
        bench.node.stageRequests.clear();
        bench.node.publishRequests.clear();
        bench.crash();
        bench.node.reboot();
        bench.open();
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(calls()).containsExactlyElementsOf(before);
        assertThat(bench.node.stageRequests).hasSize(1).containsExactlyElementsOf(staged);
        assertThat(bench.node.publishRequests).hasSize(2).containsExactlyElementsOf(published);
        assertThat(bench.node.published).hasSize(2);
        assertThat(bench.events).extracting(NodeVolumeEvent::kind).contains(Kind.MOUNT_MISSING, Kind.MOUNTED);
    }

    @Test
    void mountRequestAfterProcessRestartWithoutRebootMakesNoPluginCalls() {
        bench.done(bench.mount("v", "a"));
        calls();
        bench.restart();
        bench.done(bench.mount("v", "a"));
        assertThat(calls()).isEmpty();
        bench.done(bench.unmount("v", "a"));
        assertThat(bench.node.mounts).isEmpty();
    }

    @Test
    void missingMountIsRestored() {
        bench.done(bench.mount("v", "a"));
        bench.node.mounts.remove(Path.of(bench.target("v", "a")));
        calls();
        bench.done(bench.volumes.check());
        assertThat(calls()).containsExactly("NodeUnpublishVolume a OK", "NodePublishVolume a OK");
    }

    @Test
    void mountsAreKeptWhileMountTableIsUnreadable() {
        bench.done(bench.mount("v", "a"));
        calls();
        bench.node.tableFails = true;
        bench.restart();
        bench.done(bench.volumes.check());
        assertThat(calls()).isEmpty();
        bench.node.tableFails = false;
    }

    @Test
    void brokenMountIsOnlyReportedByDefaultAndRepairedWithRepairOption() {
        bench.done(bench.mount("v", "a"));
        calls();
        Path target = Path.of(bench.target("v", "a"));
        bench.probe = path -> CompletableFuture.completedFuture(
                path.equals(target) ? PathProbe.Finding.BROKEN : PathProbe.Finding.SOUND);
        bench.done(bench.volumes.check());
        assertThat(calls()).isEmpty();
        assertThat(bench.events).extracting(NodeVolumeEvent::kind).contains(Kind.MOUNT_BROKEN);
        bench.options = Bench.unsynced().brokenMounts(BrokenMounts.REPAIR).build();
        bench.restart();
        bench.probe = path -> CompletableFuture.completedFuture(PathProbe.Finding.SOUND);
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(calls()).containsExactly("NodeUnpublishVolume a OK", "NodePublishVolume a OK");
    }

    @Test
    void brokenStagingIsUnmountedAndMountedAgain() {
        bench.options = Bench.unsynced().brokenMounts(BrokenMounts.REPAIR).build();
        bench.restart();
        bench.done(bench.mount("v", "a"));
        calls();
        bench.probe = path -> CompletableFuture.completedFuture(
                path.toString().contains("staging") ? PathProbe.Finding.BROKEN : PathProbe.Finding.SOUND);
        bench.done(bench.volumes.check());
        assertThat(calls())
                .containsExactly(
                        "NodeUnpublishVolume a OK",
                        "NodeUnstageVolume mount-5 OK",
                        "NodeStageVolume mount-5 OK",
                        "NodePublishVolume a OK");
    }

    @Test
    void mountIsKeptIfItsRecordIsLost() throws IOException {
        bench.done(bench.mount("v", "a"));
        bench.done(bench.mount("v", "b"));
        bench.crash();
        Files.write(base.resolve("ledger/ns/v.rec"), new byte[] {1, 2, 3});
        calls();
        bench.open();
        bench.time.advance(Duration.ofHours(2));
        assertThat(calls()).isEmpty();
        assertThat(bench.events).extracting(NodeVolumeEvent::kind).contains(Kind.RECORD_SET_ASIDE, Kind.OWNER_UNKNOWN);
        bench.done(bench.unmount("v", "a"));
        assertThat(calls()).containsExactly("NodeUnpublishVolume a OK");
        bench.done(bench.mount("v", "b"));
        bench.done(bench.unmount("v", "b"));
        assertThat(calls()).endsWith("NodeUnpublishVolume b OK", "NodeUnstageVolume mount-5 OK");
        assertThat(bench.node.mounts).isEmpty();
    }

    @Test
    void mountsAreKeptIfLedgerIsLost() throws IOException {
        bench.done(bench.mount("v", "a"));
        bench.done(bench.mount("v", "b"));
        bench.crash();
        Files.delete(base.resolve("ledger/ns/v.rec"));
        calls();
        bench.open();
        bench.done(bench.unmount("v", "a"));
        assertThat(calls()).containsExactly("NodeUnpublishVolume a OK");
        bench.done(bench.unmount("v", "b"));
        assertThat(calls()).containsExactly("NodeUnpublishVolume b OK", "NodeUnstageVolume mount-5 OK");
        nothingIsLeft();
    }

    @Test
    void unmountFailsIfTargetIsStillMountedAfterPluginReportsSuccess() {
        bench.done(bench.mount("v", "a"));
        bench.node.leavesMounts = 1;
        bench.done(bench.unmount("v", "a"));
        assertThat(calls()).filteredOn(call -> call.startsWith("NodeUnpublish")).hasSizeGreaterThan(1);
        assertThat(bench.node.mounts).isEmpty();
    }

    @Test
    void foreignFileInTargetDirectoryIsReportedAndNotDeleted() throws IOException {
        bench.done(bench.mount("v", "a"));
        Path file = Path.of(bench.target("v", "a")).resolve("precious");
        Files.writeString(file, "data on the local disk");
        bench.done(bench.unmount("v", "a"));
        assertThat(file).exists();
        assertThat(bench.events).extracting(NodeVolumeEvent::kind).contains(Kind.LEFT_BEHIND);
    }

    @Test
    void statsHealthAndExpandCallsUseTargetPathAndFailForUnmountedVolume() {
        NodeVolumeQuery query = new NodeVolumeQuery(
                Bench.id("v").volume(),
                Bench.id("v").pluginId(),
                Bench.id("v").externalVolumeId(),
                AllocationId.of("a"));
        NodeExpand expand = new NodeExpand(
                query.volume(),
                query.pluginId(),
                query.externalVolumeId(),
                query.allocationId(),
                Bench.MANY,
                MountOptions.none(),
                CapacityRange.atLeast(7),
                Secrets.of(Map.of("k", "v")));
        for (CompletableFuture<?> early :
                List.of(bench.volumes.stats(query), bench.volumes.health(query), bench.volumes.expand(expand))) {
            assertThat(bench.failed(early))
                    .isInstanceOfSatisfying(
                            CsiCallException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.NOT_FOUND));
        }
        bench.done(bench.mount("v", "a"));
        calls();
        bench.done(bench.volumes.stats(query));
        bench.done(bench.volumes.health(query));
        String staging = bench.node.staged.get("ext-v");
        assertThat(bench.node.queriedStagings).containsExactly(Optional.of(staging), Optional.of(staging));
        assertThat(bench.done(bench.volumes.expand(expand)).capacityBytes()).isEqualTo(7);
        assertThat(calls())
                .containsExactly(
                        "NodeGetVolumeStats a OK",
                        "NodeGetVolumeHealth a OK",
                        "expand with true ext4 Secrets[1 not shown]",
                        "NodeExpandVolume a OK");
    }

    @Test
    void healthIsQueriedWithRpcThatPluginSupports() {
        NodeVolumeQuery query = new NodeVolumeQuery(
                Bench.id("v").volume(),
                Bench.id("v").pluginId(),
                Bench.id("v").externalVolumeId(),
                AllocationId.of("a"));
        assertThat(bench.failed(bench.volumes.healthReport(query)))
                .isInstanceOfSatisfying(
                        CsiCallException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.NOT_FOUND));
        bench.done(bench.mount("v", "a"));
        calls();
        assertThat(bench.done(bench.volumes.healthReport(query)).verdict())
                .as("a response without a condition is not healthy")
                .isEqualTo(HealthVerdict.NOT_REPORTED);
        bench.node.condition = new VolumeCondition(true, "a disk is slow");
        VolumeHealthReport ill = bench.done(bench.volumes.healthReport(query));
        assertThat(ill.verdict()).isEqualTo(HealthVerdict.ABNORMAL);
        assertThat(ill.entries()).extracting(VolumeHealthEntry::message).containsExactly("a disk is slow");
        bench.node.condition = new VolumeCondition(false, "");
        assertThat(bench.done(bench.volumes.healthReport(query)).verdict()).isEqualTo(HealthVerdict.HEALTHY);
        assertThat(calls())
                .containsExactly("NodeGetVolumeHealth a OK", "NodeGetVolumeStats a OK", "NodeGetVolumeStats a OK");
    }

    @Test
    void storageHealthIsNotQueriedWithoutCapability() {
        StorageHealthQuery query = StorageHealthQuery.of(Bench.id("v").pluginId());
        assertThat(bench.failed(bench.volumes.storageHealth(query)))
                .isInstanceOfSatisfying(
                        CsiCallException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.UNIMPLEMENTED));
        bench.node.there = false;
        assertThat(bench.failed(bench.volumes.storageHealth(query)))
                .isInstanceOfSatisfying(
                        CsiCallException.class, e -> assertThat(e.code()).isEqualTo(StatusCode.UNAVAILABLE));
    }

    @Test
    void pendingMountFutureFailsAtStopAndMountResumesAfterNextStart() throws IOException {
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        bench.time.advance(Duration.ofMillis(7));
        bench.done(bench.volumes.stop());
        assertThatThrownBy(mount::join).hasMessageContaining("closed");
        assertThat(bench.failed(bench.mount("v", "b"))).hasMessageContaining("stopped");
        bench.open();
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.node.published).hasSize(1);
        bench.done(bench.unmount("v", "a"));
        nothingIsLeft();
    }

    @Test
    void noCallIsMadeWhileLedgerCannotBeWritten() {
        boolean[] full = {true};
        bench.checkpoint = () -> {
            if (full[0]) {
                throw new IOException("no space");
            }
        };
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        bench.time.advance(Duration.ofSeconds(5));
        assertThat(calls()).isEmpty();
        assertThat(mount).isCompletedExceptionally();
        full[0] = false;
        bench.done(bench.mount("v", "a"));
    }

    @Test
    void unmountRequestIsRecordedWhileCallIsInFlight() throws IOException {
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        bench.time.advance(Duration.ofMillis(7));
        assertThat(bench.node.inFlight).containsEntry("ext-v", 1);
        CompletableFuture<Void> unmount = bench.unmount("v", "a");
        bench.time.advance(Duration.ofMillis(1));
        assertThat(bench.node.inFlight).containsEntry("ext-v", 1);
        assertThat(mount).isCompletedExceptionally();
        assertThat(unmount).isNotDone();
        bench.restart();
        nothingIsLeft();
    }

    @Test
    void mountIsUndoneIfRepublishFailsAfterInterruptedUnmount() throws IOException {
        bench.done(bench.mount("v", "a"));
        CompletableFuture<Void> unmount = bench.unmount("v", "a");
        bench.time.advance(Duration.ofMillis(1));
        fates(Rpc.NODE_PUBLISH_VOLUME, Fate.REFUSED);
        CompletableFuture<MountedVolume> again = bench.mount("v", "a");
        assertThat(bench.failed(unmount)).hasMessageContaining("mounted again");
        assertThat(bench.failed(again)).hasMessageContaining("INVALID_ARGUMENT");
        nothingIsLeft();
    }

    @Test
    void requestsBeforeStartAreRejected() {
        assertThatThrownBy(bench.volumes::start).isInstanceOf(IllegalStateException.class);
        bench.crash();
        NodeVolumes other = NodeVolumes.builder(base, id -> bench.node.found())
                .environment(Environment.of(bench.time, bench.time, bench.time, new java.util.SplittableRandom(1)))
                .build();
        assertThatThrownBy(() -> other.unmount(new NodeUnmount(Bench.id("v"), AllocationId.of("a"))))
                .isInstanceOf(IllegalStateException.class)
                .hasMessageContaining("start()");
    }
}
