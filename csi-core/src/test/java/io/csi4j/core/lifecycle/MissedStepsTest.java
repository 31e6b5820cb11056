package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.key;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.volume.ClaimState;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Steps start because of events and timers. A scan reports each step that it has to start. */
class MissedStepsTest {
    private static ClaimRig used() {
        return ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER).use("a", "n1", write("v", SINGLE_NODE_WRITER));
    }

    /** The allocation ends, and the watches of the engine do not get to know it. */
    private static ClaimRig withLostEvent() {
        ClaimRig rig = used();
        rig.log.leftBehind(state -> state.apply(new AllocationCommand.UpsertAllocation(
                AllocationId.of("a"),
                Namespace.of("default"),
                NodeId.of("n1"),
                Optional.empty(),
                AllocationStatus.ENDED,
                rig.now())));
        rig.run();
        assertThat(rig.state("v", "a")).contains(ClaimState.UNPUBLISHING);
        return rig;
    }

    @Test
    void scanStartsAndReportsStepWhoseEventWasLost() {
        ClaimRig rig = withLostEvent();
        rig.minutes(2);
        assertThat(rig.missedSteps).containsExactly(key("v"));
        rig.missedSteps.clear();
        rig.free("v");
    }

    @Test
    void foundStepGetsSomeSecondsForItsEventAndThenStarts() {
        ClaimRig rig = withLostEvent();
        rig.clock.advance(LifecycleOptions.ofDefaults().scanInterval().plusMillis(4999));
        assertThat(rig.state("v", "a")).contains(ClaimState.UNPUBLISHING);
        assertThat(rig.missedSteps).isEmpty();
        rig.clock.advance(Duration.ofMillis(1));
        assertThat(rig.missedSteps).containsExactly(key("v"));
        assertThat(rig.state("v", "a")).isEmpty();
    }

    @Test
    void scanDoesNotReportStepWhoseEventArrivesLate() {
        ClaimRig rig = withLostEvent();
        // The first scan was made when the engine began to lead; it finds the step at the second scan, a minute later.
        rig.clock.advance(LifecycleOptions.ofDefaults().scanInterval());
        assertThat(rig.state("v", "a")).contains(ClaimState.UNPUBLISHING);
        rig.engine.tryNow(key("v"));
        rig.minutes(2);
        rig.free("v");
    }

    @Test
    void scanDoesNotReportStepThatWaitsForItsRetry() {
        ClaimRig rig = used();
        rig.gateway.failAll(StatusCode.INTERNAL);
        rig.ended("a", "n1");
        rig.minutes(30);
        assertThat(rig.get("v")
                        .claims()
                        .get(AllocationId.of("a"))
                        .orElseThrow()
                        .retry()
                        .attempts())
                .isGreaterThan(5);
        rig.gateway.answer();
        rig.minutes(10);
        rig.free("v");
    }

    @Test
    void releaseIsPlannedWithoutScanAfterWatchFailedToReadState() {
        ClaimRig rig = used();
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        rig.log.afterSnapshot = () -> {
            throw new IllegalStateException("no snapshot now");
        };
        rig.run();
        rig.clock.advance(Duration.ofSeconds(2));
        rig.free("v");
    }

    @Test
    void releaseIsPlannedWithoutScanAfterNodesCouldNotBeRead() {
        ClaimRig rig = used();
        rig.status("n1", NodeStatus.DOWN);
        rig.run();
        rig.ended("a", "n1");
        assertThat(rig.state("v", "a")).contains(ClaimState.UNPUBLISHING);

        rig.status("n1", NodeStatus.READY);
        rig.log.afterSnapshot = () -> {
            throw new IllegalStateException("no snapshot now");
        };
        rig.run();
        rig.clock.advance(Duration.ofSeconds(2));
        rig.free("v");
    }
}
