package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.rpc.ControllerExpandVolumeResponse;
import io.csi4j.core.rpc.ControllerModifyVolumeRequest;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An expansion or a modification that was begun is finished by whoever leads, without anybody asking again. */
class PersistedChangesTest {
    private static final CapacityRange SIZE = CapacityRange.atLeast(200);

    private final LifecycleRig rig = LifecycleRig.leading().volume(LifecycleRig.VOL);

    private Volume volume() {
        return rig.get(LifecycleRig.VOL);
    }

    private void claimedOn(String... nodes) {
        for (String node : nodes) {
            assertThat(rig.claim("on-" + node, node, LifecycleRig.SHARED)).isDone();
        }
        rig.gateway.calls().clear();
    }

    private void nodesHaveTheirPart() {
        rig.gateway.answer(Rpc.CONTROLLER_EXPAND_VOLUME, request -> new ControllerExpandVolumeResponse(200, true));
    }

    private List<Object> sent(Rpc rpc) {
        return rig.gateway.requests(rpc);
    }

    /** As after a crash: the call is lost, and nobody asks again. */
    private void anotherLeads() {
        rig.host.stopLeading();
        rig.host.startLeading();
        rig.clock.advance(Duration.ofHours(1));
    }

    @Test
    void expansionInterruptedByCrashIsFinishedByNextLeader() {
        LifecycleRig follower = LifecycleRig.following();
        follower.volume(LifecycleRig.VOL);
        follower.gateway.hang(Rpc.CONTROLLER_EXPAND_VOLUME);
        CompletableFuture<ExpandResult> lost = follower.host.volumes().expand(LifecycleRig.VOL, SIZE);
        follower.clock.run();
        Volume intent = follower.get(LifecycleRig.VOL);
        assertThat(intent.expansion()).contains(Expansion.to(SIZE));
        assertThat(intent.unsettled()).isTrue();
        assertThat(lost).isNotDone();
        follower.host.startLeading();
        follower.clock.advance(Duration.ofHours(1));
        assertThat(follower.get(LifecycleRig.VOL).expansion()).isEmpty();
        assertThat(follower.get(LifecycleRig.VOL).facts().capacityBytes()).isEqualTo(200);
    }

    @Test
    void expansionContinuesAfterOperationTimeout() {
        for (int i = 0; i < 120; i++) {
            rig.gateway.fail(Rpc.CONTROLLER_EXPAND_VOLUME, StatusCode.UNAVAILABLE);
        }
        CompletableFuture<ExpandResult> asked = rig.host.volumes().expand(LifecycleRig.VOL, SIZE);
        rig.clock.advance(Duration.ofMinutes(11));
        rig.failed(asked, UnfinishedException.class);
        assertThat(volume().expansion().orElseThrow().retry())
                .as("the volume status shows the failed attempts")
                .satisfies(retry -> {
                    assertThat(retry.attempts()).isPositive();
                    assertThat(retry.lastError()).isPresent();
                    assertThat(retry.nextRetry()).isPresent();
                });
        assertThat(rig.done(rig.host.claims().status(LifecycleRig.VOL))
                        .orElseThrow()
                        .remaining()
                        .waits())
                .extracting(RemainingWork.Wait::reason)
                .contains(RemainingWork.Reason.RETRY_LATER);
        rig.clock.advance(Duration.ofHours(6));
        assertThat(volume().facts().capacityBytes()).isEqualTo(200);
        assertThat(volume().unsettled()).isFalse();
    }

    @Test
    void nodeExpansionIsCompletedAfterDisconnectedNodeBecomesReady() {
        claimedOn("n1", "n2");
        nodesHaveTheirPart();
        rig.ok(new NodeCommand.SetNodeStatus(NodeId.of("n2"), NodeStatus.DISCONNECTED, "", rig.clock.instant()));
        for (int i = 0; i < 60; i++) {
            rig.gateway.plan(Rpc.NODE_EXPAND_VOLUME, this::unreachable);
        }
        var asked = rig.host.volumes().expand(LifecycleRig.VOL, SIZE);
        rig.clock.run();
        assertThat(asked).isDone();
        anotherLeads();
        assertThat(volume().expansion().orElseThrow().nodes().values())
                .as("the expansion is done on one node and pending on the other")
                .anyMatch(Expansion.OnNode::done);
        assertThat(volume().unsettled()).isTrue();
        rig.ok(new NodeCommand.SetNodeStatus(NodeId.of("n2"), NodeStatus.READY, "", rig.clock.instant()));
        rig.clock.advance(Duration.ofHours(6));
        assertThat(volume().expansion()).isEmpty();
    }

    private CompletableFuture<?> unreachable(HandCall call) {
        return call.node().equals(NodeId.of("n2"))
                ? CompletableFuture.failedFuture(HandGateway.failure(call.rpc(), StatusCode.UNAVAILABLE))
                : new FakeProvider().answer(call);
    }

    @Test
    void permanentlyRefusedNodeExpansionIsReportedAndNotRetried() {
        claimedOn("n1");
        nodesHaveTheirPart();
        rig.gateway.fail(Rpc.NODE_EXPAND_VOLUME, StatusCode.FAILED_PRECONDITION);
        ExpandResult result = rig.done(rig.host.volumes().expand(LifecycleRig.VOL, SIZE));
        assertThat(rig.done(result.nodes()).get(0).error()).isPresent();
        anotherLeads();
        assertThat(sent(Rpc.NODE_EXPAND_VOLUME))
                .as("the refused expansion is not retried (R95)")
                .hasSize(1);
        assertThat(volume().unsettled()).isFalse();
        assertThat(volume().expansion().orElseThrow().nodes().values())
                .singleElement()
                .satisfies(step -> assertThat(step.retry().refused()).isTrue());
    }

    @Test
    void nextClaimAfterOfflineExpansionExpandsVolumeOnNode() {
        nodesHaveTheirPart();
        rig.done(rig.host.volumes().expand(LifecycleRig.VOL, SIZE));
        assertThat(volume().expansion().orElseThrow().stage()).isEqualTo(Expansion.Stage.NODES);
        assertThat(volume().unsettled()).as("no work remains without a claim").isFalse();
        rig.gateway.fail(Rpc.NODE_EXPAND_VOLUME, StatusCode.NOT_FOUND);
        assertThat(rig.claim("a", "n1", LifecycleRig.SHARED)).isDone();
        rig.clock.advance(Duration.ofHours(1));
        assertThat(sent(Rpc.NODE_EXPAND_VOLUME))
                .as("one call before the mount and one after it")
                .hasSize(2);
        assertThat(volume().expansion()).isEmpty();
    }

    @Test
    void releasedClaimNeedsNoNodeExpansion() {
        claimedOn("n1");
        nodesHaveTheirPart();
        rig.gateway.hang(Rpc.NODE_EXPAND_VOLUME);
        rig.done(rig.host.volumes().expand(LifecycleRig.VOL, SIZE));
        rig.allocation("on-n1", "n1", AllocationStatus.ENDED);
        assertThat(rig.calls())
                .as("one call at a time for a volume on a node")
                .doesNotContain("NODE_UNPUBLISH_VOLUME@n1");
        rig.clock.advance(Duration.ofHours(1));
        assertThat(volume().inUse()).isFalse();
    }

    @Test
    void refusedExpansionLeavesNoRemainingWorkUntilRequestedAgain() {
        rig.gateway.fail(Rpc.CONTROLLER_EXPAND_VOLUME, StatusCode.OUT_OF_RANGE);
        rig.clock.run();
        assertThat(rig.host.volumes().expand(LifecycleRig.VOL, SIZE)).satisfies(asked -> {
            rig.clock.run();
            assertThat(asked).isCompletedExceptionally();
        });
        anotherLeads();
        assertThat(sent(Rpc.CONTROLLER_EXPAND_VOLUME)).hasSize(1);
        assertThat(volume().expansion().orElseThrow().retry().lastError())
                .hasValueSatisfying(error -> assertThat(error).contains("OUT_OF_RANGE"));
        rig.done(rig.host.volumes().expand(LifecycleRig.VOL, SIZE));
        assertThat(volume().expansion()).isEmpty();
    }

    @Test
    void modificationInterruptedByCrashIsFinishedByNextLeader() {
        LifecycleRig follower = LifecycleRig.following();
        follower.volume(LifecycleRig.VOL);
        follower.gateway.hang(Rpc.CONTROLLER_MODIFY_VOLUME);
        CompletableFuture<Volume> lost = follower.host.volumes().modify(LifecycleRig.VOL, Map.of("tier", "gold"));
        follower.clock.run();
        assertThat(lost).isNotDone();
        assertThat(follower.get(LifecycleRig.VOL).modification().orElseThrow().changes())
                .isEqualTo(Map.of("tier", "gold"));
        assertThat(follower.get(LifecycleRig.VOL).toString()).doesNotContain("gold");
        follower.host.startLeading();
        follower.clock.advance(Duration.ofHours(1));
        assertThat(follower.get(LifecycleRig.VOL).spec().mutableParameters()).isEqualTo(Map.of("tier", "gold"));
        assertThat(follower.get(LifecycleRig.VOL).modification()).isEmpty();
    }

    @Test
    void laterModificationIsMergedIntoUnfinishedModification() {
        rig.gateway.hang(Rpc.CONTROLLER_MODIFY_VOLUME);
        CompletableFuture<Volume> first = rig.host.volumes().modify(LifecycleRig.VOL, Map.of("tier", "gold"));
        CompletableFuture<Volume> second = rig.host.volumes().modify(LifecycleRig.VOL, Map.of("iops", "1"));
        rig.clock.advance(Duration.ofHours(1));
        assertThat(rig.done(first).spec().mutableParameters()).containsEntry("tier", "gold");
        assertThat(rig.done(second).spec().mutableParameters()).containsEntry("iops", "1");
        assertThat(rig.gateway
                        .request(Rpc.CONTROLLER_MODIFY_VOLUME, ControllerModifyVolumeRequest.class)
                        .mutableParameters())
                .isEqualTo(Map.of("tier", "gold", "iops", "1"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"larger", "already that large", "modified"})
    void requestThatIsRepeatedChangesNoOtherVolumeOfThatName(String kind) {
        AtomicBoolean replaced = new AtomicBoolean();
        LifecycleRig renamed = LifecycleRig.leading(log -> new CommandLog() {
            @Override
            public CompletableFuture<Outcome> submit(Command command) {
                boolean change = command instanceof ChangeCommand.BeginExpansion
                        || command instanceof ChangeCommand.BeginModification
                        || command instanceof VolumeCommand.UpdateVolume;
                if (!change || !replaced.compareAndSet(false, true)) {
                    return log.submit(command);
                }
                // The command is lost. Before it is repeated, an operator forgets the volume and registers another one.
                Volume volume = log.state().snapshot().volume(LifecycleRig.VOL).orElseThrow();
                Instant now = Instant.parse("2026-01-01T00:00:00Z");
                return log.submit(new VolumeCommand.ForgetVolume(
                                volume.key(), volume.modifyIndex(), "operator", "by the test", now))
                        .thenCompose(forgotten -> log.submit(new VolumeCommand.RegisterVolume(
                                volume.key(), volume.spec(), volume.origin(), ProviderFacts.none(), now)))
                        .thenCompose(registered ->
                                CompletableFuture.failedFuture(new CsiException("the log gave no answer")));
            }

            @Override
            public ObservableState state() {
                return log.state();
            }
        });
        renamed.volume(LifecycleRig.VOL);
        CompletableFuture<?> asked = switch (kind) {
            case "larger" -> renamed.host.volumes().expand(LifecycleRig.VOL, SIZE);
            case "modified" -> renamed.host.volumes().modify(LifecycleRig.VOL, Map.of("iops", "1"));
            default -> renamed.host.volumes().expand(LifecycleRig.VOL, CapacityRange.between(0, 300));
        };
        renamed.clock.advance(Duration.ofMinutes(1));
        assertThat(replaced).isTrue();
        assertThat(asked)
                .isCompletedExceptionally()
                .failsWithin(Duration.ZERO)
                .withThrowableThat()
                .havingCause()
                .withMessageContaining("there is another one of that name");
        Volume other = renamed.get(LifecycleRig.VOL);
        assertThat(other.expansion()).isEmpty();
        assertThat(other.modification()).isEmpty();
        assertThat(other.spec().capacityRange()).isEmpty();
    }
}
