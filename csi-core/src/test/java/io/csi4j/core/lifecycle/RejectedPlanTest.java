package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.NodeCommand;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

/** The host's executor rejects a task, for example because its queue is full. */
class RejectedPlanTest {
    @Test
    void volumeIsPlannedAgainAfterTheExecutorRejectedOnePlan() {
        LifecycleRig rig = LifecycleRig.leading().volume(LifecycleRig.VOL);
        rig.gateway.leaveOpen();
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", LifecycleRig.SHARED);
        rig.run();
        HandCall publish = rig.gateway.only();
        rig.gateway.answer();
        publish.fail(StatusCode.ABORTED);
        rig.run();
        assertThat(grant).isNotDone();
        List<RejectedExecutionException> rejected = new ArrayList<>();
        rig.withoutThreads(() -> {
            try {
                rig.clock.advance(Duration.ofMinutes(1)); // the end of the backoff
            } catch (RejectedExecutionException e) {
                rejected.add(e);
            }
        });
        assertThat(rejected).hasSize(1);
        rig.clock.advance(Duration.ofMinutes(20)); // a scan
        rig.done(grant);
    }

    /** Runs all ready tasks and timers for a time; those that need a thread are rejected. */
    private static void withoutThreads(LifecycleRig rig, Duration time) {
        rig.withoutThreads(() -> {
            long end = rig.clock.nanoTime() + time.toNanos();
            while (rig.clock.nanoTime() < end) {
                try {
                    rig.clock.advance(Duration.ofNanos(end - rig.clock.nanoTime()));
                } catch (RejectedExecutionException e) {
                    assertThat(e).hasMessage("no thread is free");
                }
            }
        });
    }

    @Test
    void changesOfNodesAreReadAgainAfterTheExecutorRejectedOneReading() {
        LifecycleRig rig = LifecycleRig.leading().volume(LifecycleRig.VOL);
        for (int round = 0; round < 2; round++) {
            rig.done(rig.claim("a" + round, "n1", LifecycleRig.SHARED));
            rig.ok(new NodeCommand.SetNodeStatus(NodeId.of("n1"), NodeStatus.DOWN, "", rig.now()));
            rig.allocation("a" + round, "n1", AllocationStatus.ENDED);
            assertThat(rig.get(LifecycleRig.VOL).inUse()).isTrue();
            rig.withoutThreads(
                    () -> rig.ok(new NodeCommand.SetNodeStatus(NodeId.of("n1"), NodeStatus.READY, "", rig.now())));
            rig.clock.advance(Duration.ofSeconds(2));
            assertThat(rig.get(LifecycleRig.VOL).inUse()).isFalse();
        }
    }

    @Test
    void scansContinueAfterTheExecutorRejectedOne() {
        LifecycleRig rig = LifecycleRig.leading().volume(LifecycleRig.VOL);
        rig.done(rig.claim("a", "n1", LifecycleRig.SHARED));
        // No watch gets to know it.
        rig.log.leftBehind(state -> state.apply(new AllocationCommand.UpsertAllocation(
                AllocationId.of("a"),
                Namespace.of("default"),
                NodeId.of("n1"),
                Optional.empty(),
                AllocationStatus.ENDED,
                rig.now())));
        Duration interval = LifecycleOptions.ofDefaults().scanInterval();
        withoutThreads(rig, interval);
        assertThat(rig.get(LifecycleRig.VOL).inUse()).isTrue();
        rig.clock.advance(interval.multipliedBy(2));
        assertThat(rig.get(LifecycleRig.VOL).inUse()).isFalse();
    }
}
