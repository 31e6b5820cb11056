package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.node.ScriptedNode.Fate;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A timer that is left over keeps its request in memory until the limit of the request, and wakes the host for nothing. */
class NodeTimersTest {
    @TempDir
    Path base;

    private Bench bench;
    private int idle;

    @BeforeEach
    void open() {
        bench = new Bench(base, 1, true);
        bench.time.advance(Duration.ofSeconds(1));
        idle = bench.time.timers();
    }

    @Test
    void completedRequestsLeaveNoTimer() {
        bench.done(bench.mount("v", "a"));
        assertThat(bench.time.timers()).isEqualTo(idle);
        bench.done(bench.volumes.stats(new NodeVolumeQuery(
                Bench.id("v").volume(),
                Bench.id("v").pluginId(),
                Bench.id("v").externalVolumeId(),
                AllocationId.of("a"))));
        bench.done(bench.volumes.check());
        assertThat(bench.time.timers()).isEqualTo(idle);
        bench.done(bench.unmount("v", "a"));
        assertThat(bench.time.timers()).isEqualTo(idle);
    }

    @Test
    void refusedMountLeavesNoTimer() {
        bench.done(bench.mount("v", "a"));
        NodeMount conflicting = Bench.request("v", "b")
                .mountOptions(MountOptions.of("xfs"))
                .targetFlags(MountFlags.empty())
                .build();
        CompletableFuture<MountedVolume> refused = bench.volumes.mount(conflicting);
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(refused).isCompletedExceptionally();
        assertThat(bench.time.timers()).isEqualTo(idle);
    }

    @Test
    void cancelledMountLeavesNoTimer() {
        bench.node.there = false;
        CompletableFuture<MountedVolume> mount = bench.mount("v", "a");
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(bench.time.timers()).isGreaterThan(idle);
        mount.cancel(false);
        bench.time.advance(Duration.ofSeconds(5));
        assertThat(bench.time.timers()).isEqualTo(idle);
    }

    @Test
    void mountThatSucceedsAfterFailuresLeavesNoTimer() {
        int[] calls = new int[1];
        bench.node.fates = rpc -> calls[0]++ < 3 ? Fate.UNAVAILABLE : Fate.OK;
        bench.done(bench.mount("v", "a"));
        assertThat(calls[0]).isGreaterThan(3);
        assertThat(bench.time.timers()).isEqualTo(idle);
    }

    @Test
    void stoppedVolumesLeaveNoTimer() {
        bench.checkPeriod = Duration.ofMinutes(1);
        bench.restart();
        bench.done(bench.mount("mounted", "a"));
        bench.done(bench.mount("leaving", "a"));
        bench.node.fates = rpc -> Fate.UNAVAILABLE;
        CompletableFuture<Void> leaving = bench.unmount("leaving", "a");
        CompletableFuture<MountedVolume> failing = bench.mount("failing", "a");
        bench.time.advance(Duration.ofSeconds(30));
        bench.node.there = false;
        CompletableFuture<MountedVolume> waiting = bench.mount("waiting", "a");
        bench.time.advance(Duration.ofSeconds(30));
        CompletableFuture<Void> stopped = bench.volumes.stop();
        bench.time.advance(Duration.ZERO);
        assertThat(stopped).isCompleted();
        assertThat(leaving).isCompletedExceptionally();
        assertThat(failing).isCompletedExceptionally();
        assertThat(waiting).isCompletedExceptionally();
        assertThat(bench.time.timers()).isZero();
    }

    @Test
    void completedTeardownLeavesNoTimer() {
        bench.done(bench.mount("v", "a"));
        WorkloadVolumes workloads = new WorkloadVolumes(
                bench.volumes,
                (allocation, requests) -> {
                    throw new AssertionError("unexpected claim request");
                },
                bench.time);
        assertThat(bench.done(workloads.teardown(AllocationId.of("a"), Duration.ofHours(1)))
                        .left())
                .isEmpty();
        assertThat(bench.time.timers()).isEqualTo(idle);
    }
}
