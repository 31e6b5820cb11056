package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeEvent.Kind;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * An unmount that the plugin cannot or will not finish ends without it: by itself if it is certain that nothing is
 * mounted, and otherwise by an operator's order.
 */
class UnmountWithoutPluginTest {
    private static final Duration LIMIT = Duration.ofMinutes(10);
    private static final Duration MOMENT = Duration.ofSeconds(3);
    private static final VolumeKey KEY = VolumeKey.of("ns", "v");
    private static final AllocationId ALLOCATION = AllocationId.of("a");

    @TempDir
    private Path base;

    private Bench bench;
    private Path target;

    @BeforeEach
    void start() {
        bench = new Bench(base, 7, true);
        target = Path.of(bench.target("v", "a"));
    }

    @AfterEach
    void noRuleWasBroken() {
        assertThat(bench.node.violations).isEmpty();
    }

    private void mounted() {
        bench.done(bench.mount("v", "a"));
        bench.node.log.clear();
        bench.events.clear();
    }

    /** Mounts a volume whose plugin publishes without a mount. */
    private void mountedWithoutMount() {
        bench.crash();
        bench.options = Bench.unsynced()
                .publishesWithoutMount(List.of(PluginId.of("p")))
                .build();
        bench.open();
        bench.node.mountsNothing = true;
        mounted();
    }

    private void unmountsByHand() {
        bench.node.mounts.clear();
        bench.node.layers.clear();
    }

    private CompletableFuture<Void> order() {
        return bench.volumes.forgetUnmount(KEY, ALLOCATION, "alice", "the driver was removed for good");
    }

    private NodeVolumeStatus status() {
        return bench.volumes.status(KEY).orElseThrow();
    }

    /** Returns whether nothing of the volume is left; after a restart, its record may be kept for a while (R30). */
    private boolean forgotten() {
        return bench.volumes
                .status(KEY)
                .filter(status -> !status.uses().isEmpty()
                        || status.staged()
                        || !status.lastError().isEmpty()
                        || !status.unfinishedFor().isZero())
                .isEmpty();
    }

    private long events(Kind kind) {
        return bench.events.stream().filter(event -> event.kind() == kind).count();
    }

    @Test
    void lostAnswerIsNotForeverIfPluginRefusesRepeatedUnpublish() {
        mounted();
        bench.node.refusesUnpublished = true;
        bench.node.fates =
                rpc -> rpc == Rpc.NODE_UNPUBLISH_VOLUME ? ScriptedNode.Fate.LOST_ANSWER : ScriptedNode.Fate.OK;
        CompletableFuture<Void> unused = bench.unmount("v", "a");
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(status().lastError()).contains("not mounted");
        bench.time.advance(LIMIT);
        assertThat(bench.node.log).last().isEqualTo("NodeUnstageVolume mount-5 OK");
        assertThat(events(Kind.UNMOUNT_FORGOTTEN)).isEqualTo(1);
        assertThat(bench.node.mounts).isEmpty();
        assertThat(forgotten()).isTrue();
        assertThat(target).doesNotExist();
    }

    @Test
    void pluginIsCalledUntilTheLimit() {
        mounted();
        bench.node.refusesUnpublished = true;
        bench.node.published.clear();
        unmountsByHand();
        CompletableFuture<Void> unused = bench.unmount("v", "a");
        bench.time.advance(LIMIT.minus(Duration.ofMinutes(1)));
        assertThat(events(Kind.UNMOUNT_FORGOTTEN)).isZero();
        bench.node.refusesUnpublished = false;
        bench.time.advance(Duration.ofMinutes(5));
        assertThat(events(Kind.UNMOUNT_FORGOTTEN)).isZero();
        assertThat(bench.node.log).endsWith("NodeUnpublishVolume a OK", "NodeUnstageVolume mount-5 OK");
    }

    @Test
    void removedPluginDoesNotBlockVolumeThatWasUnmountedByHand() {
        mounted();
        bench.node.there = false;
        CompletableFuture<Void> unmount = bench.unmount("v", "a");
        bench.time.advance(LIMIT.plus(LIMIT));
        assertThat(unmount).isCompletedExceptionally();
        assertThat(status().uses()).hasSize(1);
        unmountsByHand();
        bench.done(bench.unmount("v", "a"));
        assertThat(forgotten()).isTrue();
        assertThat(events(Kind.UNMOUNT_FORGOTTEN)).isEqualTo(2);
    }

    @Test
    void removedPluginDoesNotBlockVolumeAfterReboot() {
        mounted();
        bench.node.there = false;
        bench.crash();
        bench.node.reboot();
        bench.runs = allocation -> false;
        bench.open();
        bench.time.advance(LIMIT.minus(Duration.ofMinutes(1)));
        assertThat(status().waitingFor()).contains("its plugin is not there").contains("forgetUnmount");
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(forgotten()).isTrue();
        assertThat(bench.events)
                .filteredOn(event -> event.kind() == Kind.UNMOUNT_FORGOTTEN)
                .allSatisfy(event -> assertThat(event.message()).contains("the machine was booted since"));
        assertThat(bench.node.log).isEmpty();
    }

    @Test
    void unreadableMountTableProvesNothing() {
        mounted();
        bench.node.there = false;
        bench.crash();
        bench.node.reboot();
        bench.node.tableFails = true;
        bench.runs = allocation -> false;
        bench.open();
        bench.time.advance(LIMIT.plus(LIMIT));
        assertThat(status().uses()).hasSize(1);
        assertThat(bench.failed(order())).hasMessageContaining("the mount table cannot be read");
        bench.node.tableFails = false;
        bench.time.advance(Duration.ofMinutes(2));
        assertThat(forgotten()).isTrue();
    }

    @Test
    void missingMountThatWasNeverSeenProvesNothing() {
        mountedWithoutMount();
        bench.node.there = false;
        CompletableFuture<Void> unused = bench.unmount("v", "a");
        bench.time.advance(Duration.ofHours(5));
        assertThat(status().uses()).hasSize(1);
        bench.done(order());
        assertThat(forgotten()).isTrue();
    }

    @Test
    void publishWithoutAnswerMayStillMount() {
        bench.node.fates = rpc -> rpc == Rpc.NODE_PUBLISH_VOLUME ? ScriptedNode.Fate.LATE : ScriptedNode.Fate.OK;
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        bench.time.advance(Duration.ofMillis(12));
        mount.cancel(false);
        bench.node.there = false;
        bench.time.advance(Duration.ofSeconds(30));
        assertThat(bench.node.mounts).hasSize(1);
        unmountsByHand();
        bench.node.staged.clear();
        bench.time.advance(LIMIT.plus(LIMIT));
        assertThat(status().uses()).hasSize(1);
        bench.done(order());
        assertThat(bench.volumes.status(KEY).map(NodeVolumeStatus::uses))
                .hasValueSatisfying(uses -> assertThat(uses).isEmpty());
        // The record stays until no call can take effect any more, and a late mount is found and removed.
        bench.node.mounts.add(target);
        bench.node.layers.put(target, 1);
        bench.node.there = true;
        bench.done(bench.volumes.check());
        bench.time.advance(Duration.ofMinutes(1));
        assertThat(bench.node.mounts).isEmpty();
        bench.time.advance(Duration.ofHours(2));
        assertThat(forgotten()).isTrue();
    }

    @Test
    void operatorEndsUnstageThatPluginRefusesForPathOfFencedMachine() {
        bench.node.stagesWithoutMount = true;
        mounted();
        bench.node.remembered.add("/publish/ns/v/other");
        CompletableFuture<Void> unused = bench.unmount("v", "a");
        bench.time.advance(Duration.ofHours(1));
        assertThat(status().lastError()).contains("still published at [/publish/ns/v/other]");
        assertThat(status().waitingFor()).contains("order that the unmount is forgotten");
        assertThat(status().unfinishedFor()).isBetween(Duration.ofMinutes(59), Duration.ofMinutes(61));
        bench.done(order());
        assertThat(forgotten()).isTrue();
        assertThat(bench.events)
                .filteredOn(event -> event.kind() == Kind.UNMOUNT_FORGOTTEN)
                .singleElement()
                .satisfies(event ->
                        assertThat(event.message()).contains("ordered by alice: the driver was removed for good"));
        bench.done(bench.mount("v", "b"));
    }

    @Test
    void orderIsRefusedWhileSomethingIsMounted() {
        mounted();
        bench.node.there = false;
        assertThat(bench.failed(order()))
                .isInstanceOfSatisfying(
                        NodeVolumeException.class,
                        error -> assertThat(error.reason()).isEqualTo(NodeVolumeException.Reason.CONFLICT))
                .hasMessageContaining("allocation a uses it");
        CompletableFuture<Void> unused = bench.unmount("v", "a");
        bench.time.advance(MOMENT);
        assertThat(bench.failed(order())).hasMessageContaining("it is still mounted at " + target);
        bench.node.unmount(target);
        assertThat(bench.failed(order()))
                .hasMessageContaining("it is still mounted at")
                .hasMessageContaining("staging");
        unmountsByHand();
        bench.done(order());
        assertThat(forgotten()).isTrue();
    }

    @Test
    void orderSurvivesCrash() {
        mountedWithoutMount();
        bench.node.there = false;
        CompletableFuture<Void> unused = bench.unmount("v", "a");
        bench.time.advance(MOMENT);
        int[] writes = {0};
        bench.checkpoint = () -> {
            // The process dies after the first write, which is the order.
            if (++writes[0] > 2) {
                throw new java.io.IOException("the process is dead");
            }
        };
        CompletableFuture<Void> ordered = order();
        bench.time.advance(MOMENT);
        assertThat(ordered).isNotDone();
        bench.checkpoint = () -> {};
        bench.restart();
        bench.time.advance(MOMENT);
        assertThat(forgotten()).isTrue();
    }

    @Test
    void orderEndsWithItsUnmount() {
        mountedWithoutMount();
        bench.node.there = false;
        CompletableFuture<Void> unused = bench.unmount("v", "a");
        bench.time.advance(MOMENT);
        bench.done(order());
        bench.node.there = true;
        bench.done(bench.mount("v", "a"));
        bench.node.there = false;
        CompletableFuture<Void> unmount = bench.unmount("v", "a");
        bench.time.advance(Duration.ofHours(1));
        assertThat(unmount).isCompletedExceptionally();
        assertThat(status().uses()).hasSize(1);
    }

    @Test
    void orderLeavesOtherUsesAlone() {
        mounted();
        bench.done(bench.mount("v", "b"));
        bench.node.there = false;
        CompletableFuture<Void> unused = bench.unmount("v", "a");
        bench.time.advance(MOMENT);
        bench.node.unmount(target);
        bench.done(order());
        assertThat(status().uses())
                .singleElement()
                .satisfies(use -> assertThat(use.state()).isEqualTo(NodeVolumeStatus.State.MOUNTED));
        assertThat(status().staged()).isTrue();
    }

    @Test
    void orderNeedsOperatorAndReason() {
        assertThatThrownBy(() -> bench.volumes.forgetUnmount(KEY, ALLOCATION, " ", "why"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("forgetUnmount: operator is blank");
        assertThatThrownBy(() -> bench.volumes.forgetUnmount(KEY, ALLOCATION, "alice", ""))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("forgetUnmount: reason is blank");
    }

    @Test
    void orderForUnknownVolumeHasNothingToDo() {
        bench.done(order());
        assertThat(forgotten()).isTrue();
    }
}
