package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.lifecycle.health.HealthProblem;
import io.csi4j.core.lifecycle.health.ServerHealth;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.RemainingWork;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Clocks jump and differ between servers: nothing ends too early because of it, and nothing waits long. */
class ClockTest {
    private static final Duration GRACE = Duration.ofMinutes(5);
    private static final Duration DAY = Duration.ofDays(1);
    private static final Duration LONGEST_BACKOFF =
            LifecycleOptions.ofDefaults().slowRetryMax();

    /** A workload runs on n1, and nobody has reported anything about n1 yet. */
    private static ClaimRig running() {
        return ClaimRig.with("n1", "n2")
                .volume("v", FencingPolicy.afterGrace(GRACE), SINGLE_NODE_WRITER)
                .use("a", "n1", write("v", SINGLE_NODE_WRITER));
    }

    private static void reportedDown(ClaimRig rig, Instant time) {
        rig.ok(new NodeCommand.SetNodeStatus(NodeId.of("n1"), NodeStatus.DOWN, "", time));
    }

    private static void assertGraceEndsIn(ClaimRig rig, Duration left) {
        rig.clock.advance(left.minusMillis(1));
        assertThat(rig.state("v", "a")).contains(ClaimState.TAKEN);
        rig.provider.mounted.clear();
        rig.clock.advance(Duration.ofMillis(1));
        assertThat(rig.state("v", "a")).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"P1D", "-P1D", "PT1H", "-PT1H"})
    void correctionOfTheClockDoesNotChangeGracePeriod(Duration correction) {
        ClaimRig rig = running();
        reportedDown(rig, rig.now());
        rig.minutes(1);
        rig.clock.setClock(correction);
        rig.minutes(1);
        assertGraceEndsIn(rig, GRACE.minusMinutes(2));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-PT15M", "-P1D", "PT1H", "P1D"})
    void reportOfServerWithAnotherClockDoesNotChangeGracePeriod(Duration skew) {
        ClaimRig rig = running();
        reportedDown(rig, rig.now().plus(skew));
        rig.run();
        assertGraceEndsIn(rig, GRACE);
    }

    @Test
    void gracePeriodBeginsAgainWithEachOutage() {
        ClaimRig rig = running();
        Instant time = rig.now();
        reportedDown(rig, time);
        rig.minutes(4);
        rig.ok(new NodeCommand.SetNodeStatus(NodeId.of("n1"), NodeStatus.READY, "", time));
        reportedDown(rig, time);
        rig.run();
        assertGraceEndsIn(rig, GRACE);
    }

    @Test
    void nextLeaderWithFastClockBeginsGracePeriodAgain() {
        ClaimRig rig = running();
        reportedDown(rig, rig.now());
        rig.minutes(4);
        rig.clock.setClock(DAY);
        rig.crash();
        rig.run();
        assertGraceEndsIn(rig, GRACE);
    }

    @Test
    void releaseOnUnreachableNodeWaitsForWholeGracePeriodAfterCorrection() {
        ClaimRig rig = running();
        reportedDown(rig, rig.now());
        rig.ended("a", "n1");
        rig.clock.setClock(DAY);
        rig.minutes(4);
        assertThat(rig.state("v", "a")).contains(ClaimState.UNPUBLISHING);
        rig.provider.mounted.clear();
        rig.minutes(1);
        rig.free("v");
    }

    @Test
    void statusShowsTheEndOfTheGracePeriodOnTheClockOfTheReader() {
        ClaimRig rig = running();
        reportedDown(rig, rig.now().minus(DAY));
        rig.minutes(1);
        assertThat(rig.engine
                        .status(Caller.ENGINE, ClaimRig.key("v"))
                        .orElseThrow()
                        .remaining()
                        .waits())
                .extracting(RemainingWork.Wait::reason, RemainingWork.Wait::until)
                .containsExactly(tuple(
                        RemainingWork.Reason.GRACE_RUNNING,
                        Optional.of(rig.now().plus(GRACE).minus(Duration.ofMinutes(1)))));
    }

    private static ClaimRig withFailedPublish() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", SINGLE_NODE_WRITER);
        rig.gateway.fail(Rpc.CONTROLLER_PUBLISH_VOLUME, StatusCode.INTERNAL);
        assertThat(rig.claim("a", "n1", write("v", SINGLE_NODE_WRITER))).isNotDone();
        assertThat(rig.gateway.made()).containsExactly("publish v@ext-n1");
        return rig;
    }

    @Test
    void clockThatIsSetBackDelaysNoRetry() {
        ClaimRig rig = withFailedPublish();
        rig.clock.setClock(DAY.negated());
        rig.clock.advance(LONGEST_BACKOFF);
        assertThat(rig.gateway.made()).hasSize(2);
    }

    /** Something wakes the worker while its retry is not due. */
    @Test
    void clockThatIsSetBackDelaysNoRetryOfVolumeThatIsPlannedAgain() {
        ClaimRig rig = withFailedPublish();
        rig.clock.setClock(DAY.negated());
        rig.ok(new VolumeCommand.MarkForGc(ClaimRig.key("v"), rig.now()));
        rig.clock.advance(LONGEST_BACKOFF);
        assertThat(rig.gateway.made()).hasSize(2);
    }

    @Test
    void clockThatIsSetForwardsMakesNoRetryEarly() {
        ClaimRig rig = withFailedPublish();
        Duration left = Duration.between(
                rig.now(),
                rig.get("v").attachments().iterator().next().retry().nextRetry().orElseThrow());
        rig.clock.setClock(DAY);
        rig.status("n1", NodeStatus.DISCONNECTED);
        rig.run();
        rig.status("n1", NodeStatus.READY);
        rig.run();
        rig.clock.advance(left.minusNanos(1));
        assertThat(rig.gateway.made()).hasSize(1);
        rig.clock.advance(Duration.ofMillis(1));
        assertThat(rig.gateway.made()).hasSize(2);
    }

    /** Nobody waits for a release, so only its retry keeps the worker. */
    @Test
    void clockThatIsSetForwardsMakesNoRetryOfReleaseEarly() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", SINGLE_NODE_WRITER);
        rig.use("a", "n1", write("v", SINGLE_NODE_WRITER));
        rig.gateway.fail(Rpc.NODE_UNPUBLISH_VOLUME, StatusCode.INTERNAL);
        rig.ended("a", "n1");
        rig.run();
        int made = rig.gateway.made().size();
        Duration left = Duration.between(
                rig.now(),
                rig.get("v").claims().iterator().next().retry().nextRetry().orElseThrow());
        rig.clock.setClock(DAY);
        rig.status("n1", NodeStatus.DISCONNECTED);
        rig.run();
        rig.status("n1", NodeStatus.READY);
        rig.run();
        rig.clock.advance(left.minusNanos(1));
        assertThat(rig.gateway.made()).hasSize(made);
        rig.clock.advance(Duration.ofMillis(1));
        assertThat(rig.gateway.made()).hasSizeGreaterThan(made);
    }

    @Test
    void nextLeaderWithSlowClockRetriesWithinTheLongestBackoff() {
        ClaimRig rig = withFailedPublish();
        rig.clock.setClock(DAY.negated());
        rig.crash();
        rig.clock.advance(LONGEST_BACKOFF);
        assertThat(rig.gateway.made()).hasSize(2);
    }

    @Test
    void statusShowsWhenTheRetryIsReallyMade() {
        ClaimRig rig = withFailedPublish();
        rig.clock.setClock(DAY.negated());
        assertThat(rig.engine
                        .status(Caller.ENGINE, ClaimRig.key("v"))
                        .orElseThrow()
                        .remaining()
                        .waits())
                .allSatisfy(wait -> assertThat(wait.until().orElseThrow())
                        .isBeforeOrEqualTo(rig.now().plus(LONGEST_BACKOFF)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"P1D", "-P1D"})
    void correctionOfTheClockDoesNotChangeTheTimeLimitOfAnOperation(Duration correction) {
        ClaimRig rig = ClaimRig.with("n1");
        CompletableFuture<Void> result = rig.operations
                .retryLoop()
                .untilDone(
                        "the test",
                        RetryLoop.Stored.NOTHING,
                        number -> CompletableFuture.failedFuture(
                                HandGateway.failure(Rpc.LIST_VOLUMES, StatusCode.UNAVAILABLE)));
        rig.clock.setClock(correction);
        Duration limit = LifecycleOptions.ofDefaults().operationTimeout();
        rig.clock.advance(limit.dividedBy(2));
        assertThat(result).as("half of the time limit").isNotDone();
        rig.clock.advance(limit.dividedBy(2));
        assertThat(result).isCompletedExceptionally();
    }

    private static HealthCheck healthCheck(LifecycleRig rig) {
        return HealthCheck.builder(rig.host, Environment.of(rig.clock, rig.clock, rig.clock, new Random(1)))
                .claimLimit(Duration.ofMinutes(10))
                .build();
    }

    @Test
    void clockThatIsSetBackDoesNotKeepAnOldResultOfTheHealthCheck() {
        LifecycleRig rig = LifecycleRig.leading();
        HealthCheck check = healthCheck(rig);
        ServerHealth first = rig.done(check.run());
        rig.clock.setClock(DAY.negated());
        rig.clock.advance(Duration.ofSeconds(3));
        assertThat(rig.done(check.run()).at()).as("the time of a new check").isNotEqualTo(first.at());
    }

    @Test
    void clockThatIsSetBackHidesNoStuckReleaseForLong() {
        LifecycleRig rig = LifecycleRig.leading().volume(Rig.VOL);
        assertThat(rig.claim("a", "n1", LifecycleRig.SINGLE)).isCompleted();
        rig.gateway.leaveOpen();
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        HealthCheck check = healthCheck(rig);
        rig.done(check.run());
        rig.clock.setClock(DAY.negated());
        rig.clock.advance(Duration.ofMinutes(11));
        assertThat(rig.done(check.run()).problems())
                .extracting(HealthProblem::kind)
                .contains(HealthProblem.Kind.RELEASE_STUCK);
    }

    @ParameterizedTest
    @ValueSource(strings = {"P1D", "-P1D"})
    void correctionOfTheClockDoesNotChangeTheAgeOfWaitingClaimsAndCalls(Duration correction) {
        LifecycleRig rig = LifecycleRig.leading().volume(Rig.VOL);
        rig.gateway.leaveOpen();
        assertThat(rig.claim("a", "n1", LifecycleRig.SINGLE)).isNotDone();
        assertThat(rig.claim("b", "n2", LifecycleRig.SINGLE)).isNotDone();
        rig.clock.advance(Duration.ofMinutes(1));
        rig.clock.setClock(correction);
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(rig.done(rig.host.operator().calls(CallQuery.all())).items())
                .extracting(call -> call.age(rig.now()))
                .containsExactly(Duration.ofMinutes(2));
        assertThat(rig.done(rig.host.claims().waiting(WaitingQuery.all())).items())
                .extracting(claim -> claim.age(rig.now()))
                .containsExactly(Duration.ofMinutes(2));
    }
}
