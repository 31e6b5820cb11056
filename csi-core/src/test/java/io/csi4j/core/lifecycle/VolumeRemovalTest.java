package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Volumes that go while somebody is at them: nothing is left, and no caller waits for ever. */
class VolumeRemovalTest {
    private static void nothingIsLeft(LifecycleRig rig) {
        rig.clock.advance(Duration.ofMinutes(30));
        assertThat(rig.log.snapshot().volume(VOL)).isEmpty();
        assertThat(rig.workers()).isZero();
        assertThat(rig.host.engine().operations().volumeCalls().volumesInFlight())
                .isZero();
        assertThat(rig.host.engine().claims().waiting()).isZero();
        assertThat(rig.clock.timers())
                .as("the timers of the next two scans, plugin removal, and questions to nodes and about capacity")
                .isEqualTo(5);
    }

    /** The removal comes after every number of steps that the look may have made by then. */
    @Test
    void workerOfVolumeIsRemovedIfVolumeIsRemovedDuringPlanning() {
        List<Function<VolumeLifecycle, CompletableFuture<Void>>> removals = List.of(
                api -> api.volumes().deregister(VOL),
                api -> api.operator().forgetVolume(VOL, "by the test"),
                api -> api.volumes().delete(VOL));
        for (var removal : removals) {
            boolean more = true;
            for (int steps = 0; more; steps++) {
                LifecycleRig rig = LifecycleRig.leading().volume(VOL);
                CompletableFuture<Void> collected = rig.host.operator().recheck(VOL);
                for (int i = 0; i < steps && more; i++) {
                    more = rig.clock.step();
                }
                CompletableFuture<Void> removed = removal.apply(rig.host);
                rig.clock.run();
                assertThat(collected).isCompleted();
                assertThat(removed).isCompleted();
                nothingIsLeft(rig);
            }
        }
    }

    @Test
    void forcedDeregistrationDuringUnmountLeavesNoWorkerAndNoRow() {
        for (boolean well : new boolean[] {true, false}) {
            LifecycleRig rig = LifecycleRig.leading().volume(VOL);
            rig.done(rig.claim("a", "n1", SINGLE));
            CompletableFuture<Object> call = new CompletableFuture<>();
            rig.gateway.plan(Rpc.NODE_UNPUBLISH_VOLUME, made -> call);
            rig.allocation("a", "n1", AllocationStatus.ENDED);
            CompletableFuture<DetachReport> report = rig.host.operator().detach(VOL, NodeId.of("n1"));
            rig.clock.run();
            assertThat(report).isNotDone();
            rig.done(rig.host.operator().forgetVolume(VOL, "by the test"));
            if (well) {
                assertThat(call.complete(null)).isTrue();
            } else {
                assertThat(call.completeExceptionally(
                                HandGateway.failure(Rpc.NODE_UNPUBLISH_VOLUME, StatusCode.INTERNAL)))
                        .isTrue();
            }
            rig.clock.run();
            assertThat(report).as("the waiting detach completes").isDone();
            nothingIsLeft(rig);
        }
    }

    @Test
    void waitingClaimFailsWhenVolumeIsRemoved() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.done(rig.claim("a", "n1", SINGLE));
        List<CompletableFuture<ClaimGrant>> waiting = new ArrayList<>();
        for (String other : List.of("b", "c")) {
            waiting.add(rig.claim(other, "n2", SINGLE));
        }
        assertThat(waiting).noneMatch(CompletableFuture::isDone);
        rig.gateway.plan(Rpc.NODE_UNPUBLISH_VOLUME, call -> new CompletableFuture<>());
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        rig.done(rig.host.operator().forgetVolume(VOL, "by the test"));
        for (CompletableFuture<ClaimGrant> claim : waiting) {
            assertThat(rig.failed(claim, RejectedException.class).reason())
                    .isEqualTo(new Rejection.VolumeNotFound(VOL));
        }
        nothingIsLeft(rig);
    }

    @Test
    void claimFailsIfVolumeIsRemovedDuringPublish() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        CompletableFuture<Object> publish = new CompletableFuture<>();
        rig.gateway.plan(Rpc.CONTROLLER_PUBLISH_VOLUME, call -> publish);
        CompletableFuture<ClaimGrant> claim = rig.claim("a", "n1", SINGLE);
        assertThat(claim).isNotDone();
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        rig.done(rig.host.operator().forgetVolume(VOL, "by the test"));
        assertThat(publish.completeExceptionally(
                        HandGateway.failure(Rpc.CONTROLLER_PUBLISH_VOLUME, StatusCode.UNAVAILABLE)))
                .isTrue();
        rig.clock.run();
        assertThat(claim).isCompletedExceptionally();
        nothingIsLeft(rig);
    }

    /** What comes back under the same name is another volume: no late answer of the old one touches it. */
    @Test
    void lateResponseDoesNotChangeRecreatedVolume() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.done(rig.claim("a", "n1", SINGLE));
        CompletableFuture<Object> call = new CompletableFuture<>();
        rig.gateway.plan(Rpc.NODE_UNPUBLISH_VOLUME, made -> call);
        rig.allocation("a", "n1", AllocationStatus.ENDED);
        rig.done(rig.host.operator().forgetVolume(VOL, "by the test"));
        rig.volume(VOL);
        CompletableFuture<ClaimGrant> claim = rig.claim("b", "n1", SINGLE);
        assertThat(claim).as("the claim waits for the call of the old volume").isNotDone();
        assertThat(call.complete(null)).isTrue();
        rig.clock.run();
        assertThat(claim).isCompleted();
        rig.clock.advance(Duration.ofMinutes(5));
        assertThat(rig.get(VOL).claims()).extracting(Claim::state).containsExactly(ClaimState.TAKEN);
    }

    @Test
    void unusedVolumeHasNoWorkerAfterRegistration() {
        LifecycleRig rig = LifecycleRig.leading().volume(VOL);
        rig.clock.advance(Duration.ofMinutes(10));
        assertThat(rig.workers()).isZero();
        assertThat(rig.clock.timers())
                .as("the timers of the next two scans, plugin removal, and questions to nodes and about capacity")
                .isEqualTo(5);
        assertThat(rig.gateway.calls()).isEmpty();
        rig.done(rig.host.volumes().deregister(VOL));
        nothingIsLeft(rig);
    }
}
