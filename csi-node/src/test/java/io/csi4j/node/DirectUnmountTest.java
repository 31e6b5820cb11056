package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.client.internal.file.DurableFile;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.internal.ledger.EntryCodec;
import io.csi4j.node.internal.ledger.UnmountOrder;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.proto.file.v1.FileProto;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A plugin was killed after a mount and before it recorded the mount: it answers that nothing is mounted, but the mount exists. */
class DirectUnmountTest {
    private static final Duration MOMENT = Duration.ofMillis(300);

    @TempDir
    Path base;

    private Bench bench;
    private Path target;
    private final List<Path> direct = new ArrayList<>();

    @BeforeEach
    void mountAndLoseTheRecordOfThePlugin() {
        bench = new Bench(base, 1, true);
        bench.direct = this::unmounted;
        target = Path.of(bench.target("v", "a"));
        bench.done(bench.mount("v", "a"));
        bench.node.denies = true;
        bench.node.loseRecord(target.toString());
        bench.node.log.clear();
        bench.events.clear();
    }

    @AfterEach
    void noRuleWasBroken() {
        assertThat(bench.node.violations).isEmpty();
    }

    private CompletableFuture<Void> unmounted(Path path) {
        direct.add(path);
        bench.node.log.add("umount " + path.getFileName());
        bench.node.unmount(path);
        return CompletableFuture.completedFuture(null);
    }

    private void withPolicy() {
        bench.options = Bench.unsynced().directUnmount(true).build();
        bench.restart();
    }

    private CompletableFuture<Void> order() {
        return bench.volumes.unmountDirectly(request("v"), "alice", "driver was killed");
    }

    private static NodeUnmount request(String volume) {
        return new NodeUnmount(Bench.id(volume), AllocationId.of("a"));
    }

    private void unmountUntilDenied() {
        CompletableFuture<Void> unused = bench.unmount("v", "a");
        bench.time.advance(MOMENT);
        assertThat(bench.node.mounts).contains(target);
    }

    private NodeVolumeStatus status() {
        return bench.volumes.status(VolumeKey.of("ns", "v")).orElseThrow();
    }

    private void assertThatNothingIsLeft() {
        assertThat(bench.node.mounts).isEmpty();
        assertThat(target).doesNotExist();
        // After a restart the record is kept until no call of the earlier process can take effect any more (R30).
        assertThat(bench.volumes.volumes()).allSatisfy(status -> {
            assertThat(status.uses()).isEmpty();
            assertThat(status.staged()).isFalse();
            assertThat(status.lastError()).isEmpty();
        });
    }

    @Test
    void targetIsNotUnmountedDirectlyWithoutOptionOrOperatorRequest() {
        CompletableFuture<Void> asked = bench.unmount("v", "a");
        Throwable error = bench.failed(asked);
        assertThat(error).isInstanceOf(NodeVolumeException.class).hasMessageContaining("still mounted");
        bench.time.advance(Duration.ofHours(2));
        assertThat(direct).isEmpty();
        assertThat(bench.node.mounts).contains(target);
        assertThat(NodeVolumeOptions.defaults().directUnmount()).isFalse();
    }

    @Test
    void withDirectUnmountOptionTargetIsUnmountedIfPluginWronglyReportsSuccess() {
        withPolicy();
        bench.done(bench.unmount("v", "a"));
        assertThat(bench.node.log)
                .containsExactly("NodeUnpublishVolume a OK", "umount a", "NodeUnstageVolume mount-5 OK");
        assertThat(direct).containsExactly(target);
        assertThatNothingIsLeft();
        assertThat(bench.events)
                .filteredOn(event -> event.kind() == Kind.DIRECT_UNMOUNT)
                .singleElement()
                .satisfies(event -> assertThat(event.message()).contains("the option directUnmount is on"));
        assertThat(bench.events)
                .filteredOn(event -> event.kind() == Kind.UNMOUNTED)
                .hasSize(1);
    }

    @Test
    void withDirectUnmountOptionTargetIsUnmountedAfterPluginAnswersNotFound() {
        withPolicy();
        bench.node.notFound = true;
        bench.direct = path -> {
            bench.node.notFound = false;
            return unmounted(path);
        };
        bench.done(bench.unmount("v", "a"));
        assertThat(direct).containsExactly(target);
        assertThatNothingIsLeft();
    }

    @Test
    void withDirectUnmountOptionTargetIsNotUnmountedWhilePluginAnswersWithErrors() {
        withPolicy();
        bench.node.fates = rpc -> ScriptedNode.Fate.LOST_ANSWER;
        assertThat(bench.failed(bench.unmount("v", "a"))).isInstanceOf(NodeVolumeException.class);
        assertThat(direct).isEmpty();
        bench.node.fates = rpc -> ScriptedNode.Fate.UNAVAILABLE;
        assertThat(bench.failed(bench.unmount("v", "a"))).isInstanceOf(NodeVolumeException.class);
        assertThat(direct).isEmpty();
    }

    @Test
    void withDirectUnmountOptionTargetIsNotUnmountedWhilePluginIsMissing() {
        withPolicy();
        bench.node.there = false;
        assertThat(bench.failed(bench.unmount("v", "a"))).isInstanceOf(NodeVolumeException.class);
        assertThat(direct).isEmpty();
    }

    @Test
    void targetIsNotUnmountedDirectlyIfLastAnswerOfPluginIsError() {
        unmountUntilDenied();
        bench.node.fates = rpc -> ScriptedNode.Fate.ABORTED;
        bench.time.advance(Duration.ofMinutes(3));
        CompletableFuture<Void> ordered = order();
        bench.time.advance(MOMENT);
        assertThat(direct).isEmpty();
        bench.node.fates = rpc -> ScriptedNode.Fate.OK;
        bench.time.advance(Duration.ofMinutes(3));
        assertThat(ordered).isCompleted();
        assertThatNothingIsLeft();
    }

    @Test
    void targetIsNotUnmountedDirectlyIfAllocationRequestsItAgain() {
        withPolicy();
        bench.direct = path -> {
            direct.add(path);
            return CompletableFuture.failedFuture(new IOException("exit 32: target is busy"));
        };
        CompletableFuture<Void> unused = bench.unmount("v", "a");
        bench.time.advance(MOMENT);
        assertThat(direct).isNotEmpty();
        direct.clear();
        CompletableFuture<MountedVolume> again = bench.mount("v", "a");
        bench.time.advance(Duration.ofMinutes(5));
        assertThat(again).isNotDone();
        assertThat(direct).isEmpty();
        assertThat(bench.node.mounts).contains(target);
    }

    @Test
    void operatorRequestIsRecordedBeforeTargetIsUnmounted() throws IOException {
        unmountUntilDenied();
        List<UnmountOrder> recorded = new ArrayList<>();
        bench.direct = path -> {
            try {
                FileProto.VolumeRecord record = DurableFile.of("volume", 1, FileProto.VolumeRecord.parser(), false)
                        .read(base.resolve("ledger/ns/v.rec"));
                recorded.add(EntryCodec.decode(record)
                        .use(UseId.first(AllocationId.of("a")))
                        .orElseThrow()
                        .order());
            } catch (IOException e) {
                throw new java.io.UncheckedIOException(e);
            }
            return unmounted(path);
        };
        long before = bench.time.millis();
        bench.done(order());
        assertThat(recorded).hasSize(1);
        assertThat(recorded.get(0).operator()).isEqualTo("alice");
        assertThat(recorded.get(0).reason()).isEqualTo("driver was killed");
        assertThat(recorded.get(0).atMillis()).isEqualTo(before);
        assertThatNothingIsLeft();
        assertThat(bench.events)
                .filteredOn(event -> event.kind() == Kind.DIRECT_UNMOUNT)
                .singleElement()
                .satisfies(event -> assertThat(event.message()).contains("ordered by alice: driver was killed"));
    }

    @Test
    void operatorRequestHasNoEffectIfItCannotBeRecorded() {
        unmountUntilDenied();
        bench.checkpoint = () -> {
            throw new IOException("no room");
        };
        CompletableFuture<Void> ordered = order();
        bench.time.advance(MOMENT);
        assertThat(ordered).isCompletedExceptionally();
        bench.checkpoint = () -> {};
        bench.time.advance(Duration.ofHours(1));
        assertThat(direct).isEmpty();
        assertThat(bench.node.mounts).contains(target);
    }

    @Test
    void operatorRequestWaitsUntilPluginAnswersThatTargetIsNotMounted() {
        bench.node.there = false;
        unmountUntilDenied();
        CompletableFuture<Void> ordered = order();
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(direct).isEmpty();
        bench.node.there = true;
        bench.done(ordered);
        assertThat(bench.node.log)
                .containsExactly("NodeUnpublishVolume a OK", "umount a", "NodeUnstageVolume mount-5 OK");
    }

    @Test
    void operatorRequestUnmountsTargetForgottenByPluginEvenWhilePluginIsMissing() {
        unmountUntilDenied();
        bench.node.there = false;
        CompletableFuture<Void> ordered = order();
        bench.time.advance(MOMENT);
        assertThat(direct).containsExactly(target);
        assertThat(bench.node.mounts).doesNotContain(target);
        bench.node.there = true;
        bench.done(ordered);
        assertThatNothingIsLeft();
    }

    @Test
    void pluginIsCalledAgainAfterRestartDespiteOperatorRequest() {
        bench.node.there = false;
        unmountUntilDenied();
        CompletableFuture<Void> unused = order();
        bench.time.advance(MOMENT);
        bench.restart();
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(direct).isEmpty();
        bench.node.there = true;
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.node.log)
                .containsExactly("NodeUnpublishVolume a OK", "umount a", "NodeUnstageVolume mount-5 OK");
        assertThatNothingIsLeft();
    }

    @Test
    void unmountCompletesAfterRestartIfTargetWasUnmountedBeforeCrash() {
        unmountUntilDenied();
        bench.direct = path -> {
            CompletableFuture<Void> done = unmounted(path);
            assertThat(done).isCompleted();
            return new CompletableFuture<>();
        };
        CompletableFuture<Void> unused = order();
        bench.time.advance(MOMENT);
        assertThat(direct).hasSize(1);
        bench.restart();
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(direct).hasSize(1);
        assertThatNothingIsLeft();
    }

    @Test
    void failedDirectUnmountIsRetriedAfterRestart() {
        unmountUntilDenied();
        bench.direct = path -> {
            direct.add(path);
            return CompletableFuture.failedFuture(
                    new IOException("umount of " + path + " failed: exit 32: target is busy"));
        };
        CompletableFuture<Void> unused = order();
        bench.time.advance(MOMENT);
        assertThat(direct).isNotEmpty();
        assertThat(status().lastError()).contains("exit 32: target is busy");
        bench.crash();
        direct.clear();
        bench.direct = this::unmounted;
        bench.open();
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(direct).containsExactly(target);
        assertThatNothingIsLeft();
    }

    @Test
    void operatorRequestRepeatedAfterCrashAtAnyWriteUnmountsTarget() {
        for (int checkpoint = 1; checkpoint < 12; checkpoint++) {
            unmountUntilDenied();
            int[] left = {checkpoint};
            bench.checkpoint = () -> {
                left[0]--;
                if (left[0] <= 0) {
                    throw new IOException("the process ends here");
                }
            };
            CompletableFuture<Void> unused = order();
            bench.time.advance(MOMENT);
            bench.crash();
            bench.checkpoint = () -> {};
            bench.open();
            unused = order();
            bench.time.advance(Duration.ofMinutes(2));
            assertThat(bench.node.mounts).as("ended at write %s", checkpoint).isEmpty();
            assertThatNothingIsLeft();
            bench.done(bench.mount("v", "a"));
            bench.node.loseRecord(target.toString());
        }
    }

    @Test
    void operatorRequestDoesNotApplyToLaterMountByAllocation() {
        unmountUntilDenied();
        bench.done(order());
        bench.done(bench.mount("v", "a"));
        bench.node.loseRecord(target.toString());
        unmountUntilDenied();
        bench.time.advance(Duration.ofHours(1));
        assertThat(direct).hasSize(1);
        assertThat(bench.node.mounts).contains(target);
    }

    @Test
    void targetIsNotUnmountedDirectlyIfMountTableIsUnreadable() {
        unmountUntilDenied();
        bench.node.tableFails = true;
        bench.node.there = false;
        CompletableFuture<Void> unused = order();
        bench.time.advance(Duration.ofHours(1));
        assertThat(direct).isEmpty();
        bench.node.tableFails = false;
        bench.time.advance(Duration.ofMinutes(2));
        bench.done(bench.volumes.check());
        assertThat(direct).containsExactly(target);
    }

    @Test
    void directUnmountFailsIfMountTableStillHasTarget() {
        unmountUntilDenied();
        bench.direct = path -> {
            direct.add(path);
            return CompletableFuture.completedFuture(null);
        };
        CompletableFuture<Void> ordered = order();
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(ordered).isNotDone();
        assertThat(direct).hasSizeBetween(3, 60);
        assertThat(status().lastError()).contains("still mounted");
        bench.direct = this::unmounted;
        bench.done(ordered);
        assertThatNothingIsLeft();
    }

    @Test
    void directUnmountSucceedsDespiteErrorIfMountTableHasNoTarget() {
        unmountUntilDenied();
        bench.direct = path -> {
            CompletableFuture<Void> done = unmounted(path);
            return done.thenCompose(nothing -> CompletableFuture.failedFuture(new IOException("exit 32: not mounted")));
        };
        bench.done(order());
        assertThat(direct).hasSize(1);
        assertThatNothingIsLeft();
    }

    @Test
    void twoMountsAtOneTargetAreBothUnmounted() {
        bench.node.layers.put(target, 2);
        unmountUntilDenied();
        bench.done(order());
        assertThat(direct).containsExactly(target, target);
        assertThatNothingIsLeft();
    }

    @Test
    void mountBelowTargetIsNotUnmounted() {
        withPolicy();
        bench.node.mounts.remove(target);
        bench.node.mounts.add(target.resolve("below"));
        assertThat(bench.failed(bench.unmount("v", "a"))).hasMessageContaining("still mounted");
        assertThat(direct).isEmpty();
    }

    @Test
    void hungDirectUnmountDoesNotBlockOtherVolumes() {
        unmountUntilDenied();
        bench.direct = path -> {
            direct.add(path);
            return new CompletableFuture<>();
        };
        CompletableFuture<Void> ordered = order();
        bench.done(bench.mount("w", "a"));
        bench.done(bench.unmount("w", "a"));
        assertThat(bench.failed(ordered))
                .isInstanceOf(NodeVolumeException.class)
                .hasMessageContaining("without the plugin");
        assertThat(direct).hasSize(1);
        assertThat(bench.node.log)
                .filteredOn(call -> call.equals("NodeUnpublishVolume a OK"))
                .hasSize(2);
        assertThat(bench.node.mounts).contains(target);
    }

    @Test
    void operatorRequestIsRefusedIfAllocationStillUsesVolume() {
        bench.node.living.add(target.toString());
        Throwable error = bench.failed(order());
        assertThat(error)
                .isInstanceOf(NodeVolumeException.class)
                .hasMessageContaining("allocation a uses it")
                .hasMessageContaining("call unmount first");
        assertThat(((NodeVolumeException) error).reason()).isEqualTo(NodeVolumeException.Reason.CONFLICT);
        assertThat(bench.node.mounts).contains(target);
        assertThat(direct).isEmpty();
        assertThat(status().uses().get(0).state()).isEqualTo(NodeVolumeStatus.State.MOUNTED);
    }

    @Test
    void operatorRequestForUnrecordedMountIsRefusedUntilUnmountIsRequested() {
        bench.crash();
        assertThat(base.resolve("ledger/ns/v.rec").toFile().delete()).isTrue();
        bench.open();
        assertThat(bench.failed(order())).hasMessageContaining("may have it mounted at " + target);
        assertThat(direct).isEmpty();
        unmountUntilDenied();
        bench.done(order());
        assertThat(direct).containsExactly(target);
        assertThat(bench.node.mounts).isEmpty();
    }

    @Test
    void operatorRequestForUnmountedTargetSucceeds() {
        bench.done(bench.volumes.unmountDirectly(request("never"), "alice", "gone"));
        assertThat(direct).isEmpty();
    }

    @Test
    void operatorRequestForUnknownMountIsRefusedIfMountTableIsUnreadable() {
        bench.node.tableFails = true;
        assertThat(bench.failed(bench.volumes.unmountDirectly(request("never"), "alice", "gone")))
                .hasMessageContaining("may have it mounted");
    }

    @Test
    void operatorRequestWithInvalidOperatorOrReasonFailsWithErrorThatContainsFieldName() {
        NodeUnmount request = request("v");
        assertThatThrownBy(() -> bench.volumes.unmountDirectly(request, " ", "why"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("unmountDirectly: operator is blank; give the name of who orders the unmount");
        assertThatThrownBy(() -> bench.volumes.unmountDirectly(request, "alice", ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("reason is blank");
        assertThatThrownBy(() -> bench.volumes.unmountDirectly(request, "x".repeat(201), "why"))
                .hasMessage("unmountDirectly: operator has 201 characters; give at most 200");
        assertThatThrownBy(() -> bench.volumes.unmountDirectly(request, "alice", "\ud800"))
                .hasMessageContaining("reason holds an unpaired surrogate");
        assertThatThrownBy(() -> bench.volumes.unmountDirectly(request, null, "why"))
                .isInstanceOf(NullPointerException.class)
                .hasMessageContaining("operator");
    }
}
