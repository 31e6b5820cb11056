package io.csi4j.core.lifecycle;

import static io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER;
import static io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER;
import static io.csi4j.core.lifecycle.ClaimRig.key;
import static io.csi4j.core.lifecycle.ClaimRig.write;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.RemainingWork;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class ReleaseTest {
    private static final ClaimRequest V = write("v", SINGLE_NODE_WRITER);
    private static final ClaimRequest MANY = write("v", MULTI_NODE_MULTI_WRITER);

    private static ClaimRig inUse() {
        ClaimRig rig = ClaimRig.with("n1", "n2").volume("v", SINGLE_NODE_WRITER);
        rig.use("a", "n1", V);
        rig.gateway.calls().clear();
        return rig;
    }

    private static Attachment attachment(ClaimRig rig) {
        return rig.get("v").attachments().on(NodeId.of("n1")).orElseThrow();
    }

    @Test
    void volumeIsUnmountedBeforeControllerUnpublishAfterAllocationEnds() {
        ClaimRig rig = inUse();
        rig.ended("a", "n1");
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1", "unpublish v@ext-n1");
        rig.free("v");
    }

    @Test
    void failedUnmountIsRetriedBeforeControllerUnpublish() {
        ClaimRig rig = inUse();
        rig.gateway.failAll(StatusCode.UNAVAILABLE);
        rig.ended("a", "n1");
        rig.minutes(20);
        assertThat(rig.gateway.made()).containsOnly("detach v:a@n1").hasSizeBetween(15, 80);
        assertThat(rig.state("v", "a")).contains(ClaimState.UNPUBLISHING);
        VolumeStatus status = rig.engine.status(Caller.ENGINE, key("v")).orElseThrow();
        assertThat(status.remaining().waits())
                .extracting(RemainingWork.Wait::reason)
                .contains(RemainingWork.Reason.RETRY_LATER);
        assertThat(status.view().volume().claims().iterator().next().retry().lastError())
                .hasValueSatisfying(error -> assertThat(error).contains("UNAVAILABLE"));
        rig.gateway.answer();
        rig.minutes(2);
        rig.free("v");
    }

    @Test
    void controllerUnpublishThatFailsWithNotFoundIsRetried() {
        ClaimRig rig = inUse();
        rig.gateway.script = call -> {
            if (call.toString().startsWith("unpublish")) {
                call.fail(StatusCode.NOT_FOUND);
            } else {
                call.succeed();
            }
            return true;
        };
        rig.ended("a", "n1");
        rig.minutes(10);
        assertThat(attachment(rig).state()).isEqualTo(AttachmentState.UNPUBLISHING);
        assertThat(attachment(rig).retry().attempts()).isGreaterThan(1);
        assertThat(rig.state("v", "a")).contains(ClaimState.NODE_DETACHED);
        assertThat(rig.gateway.made().stream().filter("detach v:a@n1"::equals)).hasSize(1);
        rig.gateway.answer();
        rig.minutes(6);
        rig.free("v");
    }

    @Test
    void controllerUnpublishesAfterReleaseOfLastClaim() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", MULTI_NODE_MULTI_WRITER);
        rig.use("a", "n1", MANY).use("b", "n1", MANY);
        rig.gateway.calls().clear();
        rig.ended("a", "n1");
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1");
        assertThat(rig.state("v", "a")).as("the claim is freed without delay").isEmpty();
        assertThat(rig.state("v", "b")).contains(ClaimState.TAKEN);
        assertThat(attachment(rig).state()).isEqualTo(AttachmentState.PUBLISHED);
        rig.ended("b", "n1");
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1", "detach v:b@n1", "unpublish v@ext-n1");
        rig.free("v");
    }

    @Test
    void controllerUnpublishWaitsForUnmountOfOtherClaim() {
        ClaimRig rig = ClaimRig.with("n1").volume("v", MULTI_NODE_MULTI_WRITER);
        rig.use("a", "n1", MANY).use("b", "n1", MANY);
        rig.gateway.calls().clear();
        rig.gateway.script = call -> {
            if (call.toString().contains(":b@")) {
                call.fail(StatusCode.INTERNAL);
            } else {
                call.succeed();
            }
            return true;
        };
        rig.ended("a", "n1");
        rig.ended("b", "n1");
        rig.minutes(5);
        assertThat(rig.gateway.made()).noneMatch(call -> call.startsWith("unpublish"));
        assertThat(attachment(rig).state()).isEqualTo(AttachmentState.PUBLISHED);
    }

    @Test
    void releaseWaitsForDownNodeAndResumesWhenItReturns() {
        ClaimRig rig = inUse();
        rig.status("n1", NodeStatus.DOWN);
        rig.ended("a", "n1");
        rig.minutes(600);
        assertThat(rig.gateway.made()).isEmpty();
        VolumeStatus status = rig.engine.status(Caller.ENGINE, key("v")).orElseThrow();
        assertThat(status.remaining().waits())
                .extracting(RemainingWork.Wait::reason)
                .contains(RemainingWork.Reason.NODE_NOT_CONFIRMED);
        assertThat(rig.engine.workers())
                .as("a volume that waits for an event has no worker")
                .isZero();
        rig.status("n1", NodeStatus.READY);
        rig.run();
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1", "unpublish v@ext-n1");
        rig.free("v");
    }

    @Test
    void releaseOnLostNodeCallsControllerWithStoredExternalId() {
        for (NodeStatus lost : new NodeStatus[] {NodeStatus.FENCED, NodeStatus.GONE}) {
            ClaimRig rig = inUse();
            rig.provider.mounted.clear();
            rig.status("n1", NodeStatus.DOWN);
            rig.status("n1", lost);
            rig.run();
            assertThat(rig.gateway.made()).containsExactly("unpublish v@ext-n1");
            rig.free("v");
            assertThat(rig.log.snapshot().node(NodeId.of("n1")).isPresent()).isEqualTo(lost == NodeStatus.FENCED);
        }
    }

    @Test
    void releaseContinuesWithoutUnmountResponseAfterNodeIsFenced() {
        ClaimRig rig = inUse();
        rig.gateway.leaveOpen();
        rig.ended("a", "n1");
        HandCall hangs = rig.gateway.only();
        rig.gateway.answer();
        rig.provider.mounted.clear();
        rig.status("n1", NodeStatus.FENCED);
        rig.run();
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1", "unpublish v@ext-n1");
        assertThat(rig.get("v").inUse()).isFalse();
        hangs.fail(StatusCode.DEADLINE_EXCEEDED);
        rig.run();
        rig.free("v");
    }

    @Test
    void releaseRepeatsAtMostTheLastStepAfterCrash() {
        ClaimRig rig = inUse();
        rig.gateway.leaveOpen();
        rig.ended("a", "n1");
        rig.gateway.open.get(0).takeEffect();
        rig.crash();
        rig.run();
        rig.gateway.only().succeed();
        rig.run();
        assertThat(rig.state("v", "a")).contains(ClaimState.NODE_DETACHED);
        rig.gateway.open.get(0).takeEffect();
        rig.crash();
        rig.run();
        rig.gateway.only().succeed();
        rig.run();
        assertThat(rig.gateway.made())
                .containsExactly("detach v:a@n1", "detach v:a@n1", "unpublish v@ext-n1", "unpublish v@ext-n1");
        rig.free("v");
    }

    @Test
    void releaseIsRetriedWithBackoffWhileCommandLogIsUnavailable() {
        for (HandLog.Fate fate : new HandLog.Fate[] {HandLog.Fate.LOST, HandLog.Fate.ANSWER_LOST}) {
            ClaimRig rig = inUse();
            rig.gateway.leaveOpen();
            rig.ended("a", "n1");
            rig.log.fate = fate;
            HandCall detach = rig.gateway.only();
            rig.gateway.answer();
            detach.succeed();
            rig.run();
            rig.minutes(5);
            assertThat(rig.gateway.made()).hasSizeLessThan(120);
            rig.log.fate = HandLog.Fate.APPLIED;
            rig.minutes(5);
            rig.free("v");
        }
    }

    @Test
    void concurrentReleasesOfOneClaimMakeOneCall() {
        ClaimRig rig = inUse();
        AllocationId a = AllocationId.of("a");
        rig.gateway.leaveOpen();
        var first = rig.engine.releases().release(Caller.ENGINE, key("v"), a);
        var second = rig.engine.releases().release(Caller.ENGINE, key("v"), a);
        rig.ended("a", "n1");
        var third = rig.engine.releases().release(Caller.ENGINE, key("v"), a);
        rig.run();
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1");
        HandCall detach = rig.gateway.only();
        rig.gateway.answer();
        detach.succeed();
        rig.run();
        var late = rig.engine.releases().release(Caller.ENGINE, key("v"), a);
        rig.run();
        for (var release : java.util.List.of(first, second, third, late)) {
            assertThat(release).isCompleted();
        }
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1", "unpublish v@ext-n1");
        rig.free("v");
    }

    @Test
    void nodeReportOfFinishedUnmountReplacesUnmountCall() {
        ClaimRig rig = inUse();
        AllocationId a = AllocationId.of("a");
        var wrong = rig.engine.releases().nodeReleased(Caller.ENGINE, key("v"), NodeId.of("n2"), a);
        rig.run();
        assertThat(wrong).isCompleted();
        assertThat(rig.state("v", "a"))
                .as("a report of another node does not release the claim")
                .contains(ClaimState.TAKEN);
        rig.provider.mounted.clear();
        var report = rig.engine.releases().nodeReleased(Caller.ENGINE, key("v"), NodeId.of("n1"), a);
        rig.run();
        assertThat(report).isCompleted();
        assertThat(rig.gateway.made()).containsExactly("unpublish v@ext-n1");
        rig.free("v");
        var again = rig.engine.releases().nodeReleased(Caller.ENGINE, key("v"), NodeId.of("n1"), a);
        rig.run();
        assertThat(again).isCompleted();
    }

    @Test
    void claimHeldByRemovedAllocationIsReleased() {
        ClaimRig rig = inUse();
        rig.ok(new AllocationCommand.RemoveAllocation(AllocationId.of("a"), rig.clock.instant()));
        rig.run();
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1", "unpublish v@ext-n1");
        rig.free("v");
    }

    @Test
    void releaseWaitsForMissingControllerWithoutCountingFailedAttempts() {
        ClaimRig rig = inUse();
        rig.controller(false);
        rig.ended("a", "n1");
        rig.run();
        long tasks = rig.clock.executed();
        int commands = rig.log.commands.size();
        rig.minutes(60);
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1");
        assertThat(rig.log.commands).as("no command while the release waits").hasSize(commands);
        assertThat(rig.clock.executed() - tasks)
                .as("only the periodic scan runs")
                .isLessThan(1000);
        rig.controller(true);
        rig.run();
        rig.free("v");
    }

    @Test
    void openReleaseOfOneVolumeDelaysNoOtherVolume() {
        ClaimRig rig = inUse();
        rig.volume("w", SINGLE_NODE_WRITER).use("b", "n1", write("w", SINGLE_NODE_WRITER));
        rig.gateway.calls().clear();
        rig.gateway.leaveOpen();
        rig.ended("a", "n1");
        HandCall open = rig.gateway.only();
        rig.gateway.answer();
        rig.ended("b", "n1");
        assertThat(rig.get("w").inUse()).isFalse();
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1", "detach w:b@n1", "unpublish w@ext-n1");
        assertThat(rig.state("v", "a")).contains(ClaimState.UNPUBLISHING);
        open.succeed();
        rig.run();
        rig.free("v");
    }

    @Test
    void nextLeaderProcessesChangesMadeWithoutLeader() {
        ClaimRig rig = inUse();
        rig.engine.stop();
        rig.ended("a", "n1");
        rig.minutes(5);
        assertThat(rig.gateway.made()).isEmpty();
        rig.engine.start();
        rig.run();
        assertThat(rig.gateway.made()).containsExactly("detach v:a@n1", "unpublish v@ext-n1");
        rig.free("v");
        long tasks = rig.clock.executed();
        rig.engine.stop();
        rig.minutes(60);
        assertThat(rig.clock.timers()).as("no timer is left").isZero();
        assertThat(rig.clock.executed() - tasks).isLessThan(10);
    }

    @Test
    void claimHeldByRunningAllocationIsNotReleased() {
        ClaimRig rig = inUse();
        rig.engine.stop();
        rig.engine.start();
        var collected = rig.engine.recheck(Caller.ENGINE, key("v"));
        rig.minutes(60);
        assertThat(collected).isCompleted();
        assertThat(rig.gateway.made()).isEmpty();
        assertThat(rig.state("v", "a")).contains(ClaimState.TAKEN);
        assertThat(rig.engine.workers()).isZero();
    }

    @Test
    void claimIsFreedByOperatorOverridesAlthoughAllCallsFail() {
        ClaimRig rig = inUse();
        rig.gateway.failAll(StatusCode.INTERNAL);
        rig.ended("a", "n1");
        var claim =
                rig.engine.releases().overrideClaim(Caller.ENGINE, key("v"), AllocationId.of("a"), "the node is scrap");
        rig.run();
        assertThat(claim).isCompleted();
        rig.provider.mounted.clear();
        assertThat(rig.state("v", "a")).contains(ClaimState.NODE_DETACHED);
        assertThat(attachment(rig).state()).isEqualTo(AttachmentState.UNPUBLISHING);
        rig.provider.attached.clear();
        var attachment =
                rig.engine.releases().overrideAttachment(Caller.ENGINE, key("v"), NodeId.of("n1"), "detached by hand");
        rig.run();
        assertThat(attachment).isCompleted();
        rig.free("v");
    }

    @Test
    void releasingHundredVolumesRespectsLimitOfCallsInFlight() {
        ClaimRig rig = ClaimRig.with("n1");
        for (int i = 0; i < 100; i++) {
            rig.volume("v" + i, SINGLE_NODE_WRITER).use("a" + i, "n1", write("v" + i, SINGLE_NODE_WRITER));
        }
        rig.provider.mounted.clear();
        rig.gateway.leaveOpen();
        rig.status("n1", NodeStatus.FENCED);
        rig.run();
        while (!rig.gateway.open.isEmpty()) {
            assertThat(rig.gateway.open).hasSizeLessThanOrEqualTo(10);
            rig.gateway.open.remove(0).succeed();
            rig.run();
        }
        assertThat(rig.provider.attached).isEmpty();
        assertThat(rig.engine.workers()).isZero();
        rig.clock.advance(Duration.ofMinutes(1));
        assertThat(rig.log.snapshot().unsettledVolumes()).isEmpty();
    }
}
