package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.key;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.lifecycle.internal.call.FailureLog;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.FencingPolicy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.logging.Logger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Steps start because of events and timers. A scan reports each step that it has to start. */
class MissedStepsTest {
    private static ClaimRig used() {
        return ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER).use("a", "n1", write("v", SINGLE_NODE_WRITER));
    }

    /** The allocation ends, and the watches of the engine do not get to know it. */
    private static ClaimRig withLostEvent() {
        ClaimRig rig = used();
        loseEnd(rig, "a", "n1");
        assertThat(rig.state("v", "a")).contains(ClaimState.UNPUBLISHING);
        return rig;
    }

    private static void loseEnd(ClaimRig rig, String allocation, String node) {
        rig.log.leftBehind(state -> state.apply(new AllocationCommand.UpsertAllocation(
                AllocationId.of(allocation),
                Namespace.of("default"),
                NodeId.of(node),
                Optional.empty(),
                AllocationStatus.ENDED,
                rig.now())));
        rig.run();
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
    void scansGoOnAfterOneThatFoundAStep() {
        ClaimRig rig = withLostEvent();
        rig.minutes(2);
        rig.missedSteps.clear();
        rig.use("b", "n1", write("v", SINGLE_NODE_WRITER));
        loseEnd(rig, "b", "n1");
        rig.minutes(2);
        assertThat(rig.missedSteps).containsExactly(key("v"));
        assertThat(rig.state("v", "b")).isEmpty();
    }

    /** The grace period of a node out of reach has begun, and no timer waits for its end. */
    @Test
    void scanReportsStepThatIsDueLater() {
        ClaimRig rig = ClaimRig.with("n1")
                .volume("v", FencingPolicy.afterGrace(Duration.ofHours(1)), SINGLE_NODE_WRITER)
                .use("a", "n1", write("v", SINGLE_NODE_WRITER));
        rig.log.leftBehind(
                state -> state.apply(new NodeCommand.SetNodeStatus(NodeId.of("n1"), NodeStatus.DOWN, "", rig.now())));
        loseEnd(rig, "a", "n1");
        rig.minutes(2);
        assertThat(rig.missedSteps).containsExactly(key("v"));
        assertThat(rig.state("v", "a")).contains(ClaimState.UNPUBLISHING);
        rig.provider.mounted.clear();
        rig.minutes(70);
        assertThat(rig.state("v", "a")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 5, 6})
    void lineOfTheLogNamesTheFirstVolumesOfAScan(int count) {
        ClaimRig rig = ClaimRig.with("n1");
        for (int i = 1; i <= count; i++) {
            rig.volume("v" + i, SINGLE_NODE_WRITER).use("a" + i, "n1", write("v" + i, SINGLE_NODE_WRITER));
            loseEnd(rig, "a" + i, "n1");
        }
        List<String> lines = new ArrayList<>();
        Logger logger = Logger.getLogger(FailureLog.class.getName());
        logger.setFilter(line -> {
            lines.add(line.getMessage());
            return false;
        });
        try {
            rig.minutes(2);
            rig.minutes(2);
        } finally {
            logger.setFilter(null);
        }
        String names = String.join(
                ", ",
                IntStream.rangeClosed(1, Math.min(count, 5))
                        .mapToObj(i -> "default/v" + i)
                        .toList());
        assertThat(lines)
                .singleElement()
                .asString()
                .contains("steps of " + count + " volumes that no event or timer had started: " + names
                        + (count > 5 ? " and others. They" : ". They"));
    }

    @Test
    void scanFindsStepBesideAnOpenCall() {
        ClaimRequest many = write("v", MULTI_NODE_MULTI_WRITER);
        ClaimRig rig = ClaimRig.with("n1", "n2")
                .volume("v", MULTI_NODE_MULTI_WRITER)
                .use("a", "n1", many)
                .use("b", "n2", many);
        rig.gateway.hang(Rpc.NODE_UNPUBLISH_VOLUME);
        rig.ended("b", "n2");
        loseEnd(rig, "a", "n1");
        rig.minutes(2);
        assertThat(rig.missedSteps).containsExactly(key("v"));
        assertThat(rig.state("v", "a")).isEmpty();
        assertThat(rig.state("v", "b")).contains(ClaimState.UNPUBLISHING);
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
