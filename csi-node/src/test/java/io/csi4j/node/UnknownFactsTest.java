package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.ScriptedNode.Fate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Unreadable information does not cause calls or removals, and a repeated call has identical fields. */
class UnknownFactsTest {
    @TempDir
    Path base;

    private Bench bench;

    @BeforeEach
    void open() {
        bench = new Bench(base, 1, true);
    }

    @AfterEach
    void pluginSawNoViolation() {
        assertThat(bench.node.violations).isEmpty();
    }

    @Test
    void unmountStaysUnfinishedIfPluginAnswersNotFoundAndMountTableIsUnreadable() {
        bench.done(bench.mount("v", "a"));
        bench.node.notFound = true;
        bench.node.tableFails = true;
        CompletableFuture<Void> unmount = bench.unmount("v", "a");
        bench.time.advance(Duration.ofSeconds(30));
        assertThat(bench.node.log).anyMatch(call -> call.startsWith("NodeUnpublishVolume a"));
        assertThat(unmount).isNotDone();
        assertThat(bench.volumes.volumes()).hasSize(1);
        bench.node.tableFails = false;
        bench.node.notFound = false;
        bench.done(unmount);
        assertThat(bench.node.mounts).isEmpty();
    }

    @Test
    void retriedUnmountStaysUnfinishedIfPluginAnswersNotFoundAndMountTableIsUnreadable() {
        bench.done(bench.mount("v", "a"));
        bench.node.tableFails = true;
        bench.node.fates = rpc -> {
            // The call takes effect, and the plugin then has no record of the target.
            bench.node.notFound = rpc == Rpc.NODE_UNPUBLISH_VOLUME && calls("NodeUnpublishVolume a") > 0;
            return rpc == Rpc.NODE_UNPUBLISH_VOLUME ? Fate.LOST_ANSWER : Fate.OK;
        };
        CompletableFuture<Void> unmount = bench.unmount("v", "a");
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(calls("NodeUnpublishVolume a")).isGreaterThan(1);
        assertThat(calls("NodeUnstageVolume")).isZero();
        assertThat(unmount).isNotDone();
        assertThat(bench.volumes.volumes()).hasSize(1);
        bench.node.tableFails = false;
        bench.done(unmount);
        assertThat(bench.node.mounts).isEmpty();
    }

    private long calls(String begin) {
        return bench.node.log.stream().filter(call -> call.startsWith(begin)).count();
    }

    @Test
    void volumesAreNotMountedAgainIfBootIdIsUnreadableAfterRestart() {
        bench.done(bench.mount("v", "a"));
        bench.crash();
        bench.node.boot = null;
        bench.open();
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(bench.node.stageRequests).hasSize(1);
        assertThat(bench.node.publishRequests).hasSize(1);
    }

    @Test
    void volumesAreNotMountedAgainIfBootIdBecomesReadableAfterRestart() {
        bench.crash();
        bench.node.boot = null;
        bench.open();
        bench.done(bench.mount("v", "a"));
        bench.crash();
        bench.node.boot = "boot-1";
        bench.open();
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(bench.node.stageRequests).hasSize(1);
        assertThat(bench.node.publishRequests).hasSize(1);
    }

    @Test
    void repeatedPublishHasFieldsOfFirstPublishIfBootIdIsUnreadableAfterRestart() {
        publishIsRepeatedAfterRestart("boot-1", null);
    }

    @Test
    void repeatedPublishHasFieldsOfFirstPublishIfBootIdBecomesReadableAfterRestart() {
        publishIsRepeatedAfterRestart(null, "boot-1");
    }

    private void publishIsRepeatedAfterRestart(@Nullable String bootBefore, @Nullable String bootAfter) {
        PublishContext first = PublishContext.of(Map.of("device", "first"));
        PublishContext second = PublishContext.of(Map.of("device", "second"));
        bench.crash();
        bench.node.boot = bootBefore;
        bench.open();
        bench.node.fates = rpc -> rpc == Rpc.NODE_PUBLISH_VOLUME ? Fate.NOT_DONE : Fate.OK;
        var unused = bench.volumes.mount(
                Bench.request("v", "a").publishContext(first).build());
        bench.time.advance(Duration.ofSeconds(1));
        bench.crash();
        bench.node.boot = bootAfter;
        // No call is sent while the plugin is missing.
        bench.node.there = false;
        bench.open();
        int before = bench.node.publishRequests.size();
        assertThat(before).isPositive();
        CompletableFuture<MountedVolume> again = bench.volumes.mount(
                Bench.request("v", "a").publishContext(second).build());
        bench.time.advance(Duration.ofSeconds(1));
        bench.node.there = true;
        bench.node.fates = rpc -> Fate.OK;
        bench.done(again);
        assertThat(bench.node.publishRequests)
                .hasSizeGreaterThan(before)
                .extracting(NodePublishVolumeRequest::publishContext)
                .containsOnly(first);
    }

    @Test
    void repeatedStageKeepsPublishContextOfEarlierAllocation() {
        PublishContext first = PublishContext.of(Map.of("device", "first"));
        PublishContext second = PublishContext.of(Map.of("device", "second"));
        bench.node.fates = rpc -> rpc == Rpc.NODE_STAGE_VOLUME ? Fate.UNAVAILABLE : Fate.OK;
        CompletableFuture<MountedVolume> leaving = bench.volumes.mount(
                Bench.request("v", "a").publishContext(first).build());
        bench.time.advance(Duration.ofSeconds(1));
        CompletableFuture<MountedVolume> staying = bench.volumes.mount(
                Bench.request("v", "b").publishContext(second).build());
        var unused = bench.unmount("v", "a");
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(leaving).isCompletedExceptionally();
        int before = bench.node.stageRequests.size();
        bench.node.fates = rpc -> Fate.OK;
        bench.done(staying);
        assertThat(bench.node.stageRequests).hasSizeGreaterThan(before);
        assertThat(bench.node.stageRequests)
                .extracting(NodeStageVolumeRequest::publishContext)
                .containsOnly(first);
    }

    @Test
    void mountOfUnansweredPublishThatAppearsAfterItsUndoIsRemoved() {
        bench.crash();
        bench = new Bench(base, 1, false);
        bench.node.fates = rpc -> rpc == Rpc.NODE_PUBLISH_VOLUME ? Fate.NOT_DONE : Fate.OK;
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        bench.time.advance(Duration.ofMillis(8));
        assertThat(mount.cancel(false)).isTrue();
        bench.time.advance(Duration.ofSeconds(30));
        assertThat(calls("NodeUnpublishVolume a")).isPositive();
        // The plugin continues with the call that had no response, and creates all directories itself.
        String target = bench.target("v", "a");
        bench.node.published.put(target, "ext-v");
        bench.node.mounts.add(Path.of(target));
        bench.done(bench.volumes.check());
        assertThat(bench.node.mounts).isEmpty();
        assertThat(bench.node.published).isEmpty();
        bench.time.advance(bench.options.lateWork().plus(Duration.ofMinutes(1)));
        assertThat(bench.volumes.volumes()).isEmpty();
    }

    /** The record is kept while the plugin may still work on the call, however the clock is set, and not for a day longer. */
    @ParameterizedTest
    @ValueSource(strings = {"P1D", "-P1D"})
    void correctionOfTheClockDoesNotChangeHowLongTheRecordOfAnUnansweredCallIsKept(Duration correction) {
        bench.crash();
        bench = new Bench(base, 1, false);
        bench.node.fates = rpc -> rpc == Rpc.NODE_PUBLISH_VOLUME ? Fate.NOT_DONE : Fate.OK;
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        bench.time.advance(Duration.ofMillis(8));
        assertThat(mount.cancel(false)).isTrue();
        bench.time.advance(Duration.ofSeconds(30));
        bench.time.setClock(correction);
        bench.done(bench.volumes.check());
        bench.time.advance(bench.options.lateWork().dividedBy(2));
        assertThat(bench.volumes.volumes()).as("the plugin may still work").isNotEmpty();
        bench.time.advance(bench.options.lateWork().plus(Duration.ofMinutes(1)));
        assertThat(bench.volumes.volumes()).isEmpty();
    }

    @Test
    void conflictingMountOptionsAreRefusedBeforePluginCallOrRecord() {
        bench.done(bench.mount("v", "a"));
        int calls = bench.node.log.size();
        int[] writes = new int[1];
        bench.checkpoint = () -> writes[0]++;
        Throwable error = bench.failed(bench.volumes.mount(
                Bench.request("v", "b").mountOptions(MountOptions.of("xfs")).build()));
        assertThat(error)
                .isInstanceOfSatisfying(
                        NodeVolumeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CONFLICT));
        assertThat(bench.node.log).hasSize(calls);
        assertThat(writes[0]).isZero();
    }

    @Test
    void conflictingMountOptionsAreRefusedWhileOutcomeOfFirstStageIsUnknown() {
        bench.node.fates = rpc -> rpc == Rpc.NODE_STAGE_VOLUME ? Fate.UNAVAILABLE : Fate.OK;
        CompletableFuture<MountedVolume> first = bench.mount("v", "a");
        bench.time.advance(Duration.ofSeconds(1));
        CompletableFuture<MountedVolume> other = bench.volumes.mount(
                Bench.request("v", "b").mountOptions(MountOptions.of("xfs")).build());
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(other).isCompletedExceptionally();
        bench.node.fates = rpc -> Fate.OK;
        bench.done(first);
        assertThat(bench.failed(other))
                .isInstanceOfSatisfying(
                        NodeVolumeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CONFLICT));
        assertThat(bench.node.publishRequests).hasSize(1);
    }
}
