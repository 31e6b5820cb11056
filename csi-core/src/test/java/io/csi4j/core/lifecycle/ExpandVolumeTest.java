package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.internal.change.NodeParts;
import io.csi4j.core.rpc.ControllerExpandVolumeRequest;
import io.csi4j.core.rpc.ControllerExpandVolumeResponse;
import io.csi4j.core.rpc.ControllerModifyVolumeRequest;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import java.time.Duration;
import java.util.EnumSet;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ExpandVolumeTest {
    private final VolumeRig rig = VolumeRig.started();

    @BeforeEach
    void aVolumeOfAHundredBytes() {
        rig.done(rig.engine()
                .volumes()
                .create(
                        VolumeRig.VOL,
                        VolumeRig.spec()
                                .capacityRange(CapacityRange.atLeast(100))
                                .build()));
    }

    private void reported() {
        rig.fingerprint("n1", true);
        rig.fingerprint("n2", true);
    }

    private CompletableFuture<ExpandResult> expand(long bytes) {
        return rig.engine().volumes().expand(VolumeRig.VOL, CapacityRange.atLeast(bytes));
    }

    @Test
    void expandStoresRequestThenCallsControllerThenStoresSize() {
        rig.gateway.plan(Rpc.CONTROLLER_EXPAND_VOLUME, call -> {
            assertThat(rig.volume().spec().capacityRange()).contains(CapacityRange.atLeast(200));
            assertThat(rig.volume().toBeExpanded()).isTrue();
            return rig.provider.answer(call);
        });
        ExpandResult result = rig.done(expand(200));
        assertThat(result.volume().facts().capacityBytes()).isEqualTo(200);
        assertThat(result.volume().toBeExpanded()).isFalse();
        assertThat(rig.done(result.nodes())).isEmpty();
        var sent = rig.gateway.request(Rpc.CONTROLLER_EXPAND_VOLUME, ControllerExpandVolumeRequest.class);
        assertThat(sent.volumeId()).isEqualTo(ExternalVolumeId.of("ext-1"));
        assertThat(sent.secrets()).isEqualTo(VolumeRig.SECRETS);
        assertThat(sent.volumeCapability()).isPresent();
    }

    @Test
    void expandStoresRangeWithoutCallingPluginIfCurrentSizeIsInRequestedRange() {
        rig.done(rig.engine().volumes().expand(VolumeRig.VOL, CapacityRange.between(50, 500)));
        assertThat(rig.volume().spec().capacityRange()).contains(CapacityRange.between(50, 500));
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_EXPAND_VOLUME)).isEmpty();
    }

    @Test
    void expansionResultOfRemovedVolumeDoesNotChangeRecreatedVolume() {
        rig.gateway.plan(Rpc.CONTROLLER_EXPAND_VOLUME, call -> {
            rig.ok(new VolumeCommand.DeregisterVolume(VolumeRig.VOL, true, rig.now()));
            rig.ok(new VolumeCommand.RegisterVolume(
                    VolumeRig.VOL,
                    VolumeRig.spec()
                            .externalVolumeId(ExternalVolumeId.of("ext-2"))
                            .build(),
                    VolumeOrigin.REGISTERED,
                    ProviderFacts.none(),
                    rig.now()));
            return CompletableFuture.failedFuture(
                    HandGateway.failure(Rpc.CONTROLLER_EXPAND_VOLUME, StatusCode.UNAVAILABLE));
        });
        assertThat(rig.failedLater(expand(200), VolumeRemovedException.class))
                .hasMessageContaining("there is another one of that name");
        assertThat(rig.volume().facts().capacityBytes()).isZero();
    }

    @Test
    void expandWithLimitBelowCurrentSizeIsRejected() {
        assertThat(rig.failed(
                        rig.engine().volumes().expand(VolumeRig.VOL, CapacityRange.between(10, 50)),
                        RejectedException.class))
                .hasMessageContaining("a volume does not shrink");
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_EXPAND_VOLUME)).isEmpty();
    }

    @Test
    void expandCallsEachClaimedNodeAfterNewSizeIsStored() {
        rig.claim("a1", "n1");
        rig.claim("a2", "n2");
        rig.provider.nodeExpansionRequired = true;
        rig.gateway.plan(Rpc.NODE_EXPAND_VOLUME, call -> {
            assertThat(rig.volume().facts().capacityBytes()).isEqualTo(200);
            return rig.provider.answer(call);
        });
        ExpandResult result = rig.done(expand(200));
        assertThat(rig.done(result.nodes()))
                .extracting(part -> part.allocationId() + " " + part.nodeId() + " " + part.capacityBytes())
                .containsExactly("a1 n1 200", "a2 n2 200");
        NodeExpand sent = rig.gateway.request(Rpc.NODE_EXPAND_VOLUME, NodeExpand.class);
        assertThat(sent.externalVolumeId()).isEqualTo(ExternalVolumeId.of("ext-1"));
        assertThat(sent.secrets()).isEqualTo(VolumeRig.SECRETS);
        assertThat(sent.capacityRange()).isEqualTo(CapacityRange.atLeast(200));
        assertThat(sent.allocationId()).isEqualTo(AllocationId.of("a2"));
    }

    @Test
    void failedNodeExpansionDoesNotAffectNewSizeOrOtherNodes() {
        rig.claim("a1", "n1");
        rig.claim("a2", "n2");
        rig.provider.nodeExpansionRequired = true;
        rig.gateway.fail(Rpc.NODE_EXPAND_VOLUME, StatusCode.FAILED_PRECONDITION);
        ExpandResult result = rig.done(expand(200));
        assertThat(result.volume().facts().capacityBytes()).isEqualTo(200);
        var parts = rig.later(result.nodes());
        assertThat(parts.get(0).error())
                .hasValueSatisfying(error -> assertThat(error).contains("FAILED_PRECONDITION"));
        assertThat(parts.get(1).error()).isEmpty();
        assertThat(rig.gateway.requests(Rpc.NODE_EXPAND_VOLUME))
                .as("the failed expansion is not retried")
                .hasSize(2);
    }

    @Test
    void expansionEndsWhenClaimWhoseNodeRefusedItEnds() {
        rig.claim("a1", "n1");
        rig.claim("a2", "n2");
        rig.provider.nodeExpansionRequired = true;
        rig.gateway.fail(Rpc.NODE_EXPAND_VOLUME, StatusCode.FAILED_PRECONDITION);
        rig.later(rig.done(expand(200)).nodes());
        assertThat(rig.volume().expansion()).isPresent();

        rig.allocation("a1", "n1", AllocationStatus.ENDED);
        assertThat(rig.volume().expansion()).isEmpty();
    }

    @Test
    void expansionEndsWhenLastClaimWithUnfinishedNodeStepEnds() {
        rig.claim("a1", "n1");
        rig.claim("a2", "n2");
        rig.provider.nodeExpansionRequired = true;
        rig.gateway.hang(Rpc.NODE_EXPAND_VOLUME);
        ExpandResult result = rig.done(expand(200));
        assertThat(result.nodes()).isNotDone();

        rig.allocation("a1", "n1", AllocationStatus.ENDED);
        assertThat(rig.volume().expansion()).isEmpty();
        assertThat(rig.later(result.nodes()).get(0).error())
                .hasValueSatisfying(error -> assertThat(error).contains("released volume"));
    }

    @Test
    void expansionOfUnusedVolumeShowsNoProgressOfEndedClaimAndWaitsForNextClaim() {
        rig.claim("a1", "n1");
        rig.provider.nodeExpansionRequired = true;
        rig.gateway.fail(Rpc.NODE_EXPAND_VOLUME, StatusCode.FAILED_PRECONDITION);
        rig.later(rig.done(expand(200)).nodes());

        rig.allocation("a1", "n1", AllocationStatus.ENDED);
        assertThat(rig.volume().expansion().orElseThrow().nodes()).isEmpty();
        assertThat(rig.volume().changing()).isFalse();
    }

    @Test
    void nodeExpansionWithoutResponseIsRetriedAndExpansionCompletes() {
        rig.claim("a1", "n1");
        rig.provider.nodeExpansionRequired = true;
        rig.gateway.hang(Rpc.NODE_EXPAND_VOLUME);
        ExpandResult result = rig.done(expand(200));
        assertThat(result.nodes()).isNotDone();
        assertThat(rig.later(result.nodes()).get(0).error()).isEmpty();
        assertThat(rig.gateway.requests(Rpc.NODE_EXPAND_VOLUME)).hasSize(2);
    }

    @Test
    void expandToSameSizeCallsNodesAgain() {
        rig.claim("a1", "n1");
        rig.provider.nodeExpansionRequired = true;
        rig.done(expand(200));
        rig.done(expand(200));
        assertThat(rig.gateway.requests(Rpc.NODE_EXPAND_VOLUME)).hasSize(2);
    }

    @Test
    void expandWithLostResponseIsRetriedWithSameRequest() {
        rig.gateway.lose(Rpc.CONTROLLER_EXPAND_VOLUME, StatusCode.UNKNOWN);
        assertThat(rig.later(expand(200)).volume().facts().capacityBytes()).isEqualTo(200);
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_EXPAND_VOLUME).stream().distinct())
                .hasSize(1);
    }

    @Test
    void expansionRequestSurvivesCrash() {
        rig.gateway.hang(Rpc.CONTROLLER_EXPAND_VOLUME);
        CompletableFuture<ExpandResult> lost = expand(200);
        rig.clock.run();
        assertThat(lost).isNotDone();
        assertThat(rig.volume().toBeExpanded()).isTrue();
        Volume expanded = rig.done(expand(200)).volume();
        assertThat(expanded.facts().capacityBytes()).isEqualTo(200);
        assertThat(expanded.toBeExpanded()).isFalse();
    }

    @Test
    void volumeKeepsItsSizeIfExpandIsRefusedOrReturnedSizeIsTooSmall() {
        rig.gateway.fail(Rpc.CONTROLLER_EXPAND_VOLUME, StatusCode.OUT_OF_RANGE);
        rig.failed(expand(200), CsiCallException.class);
        rig.gateway.answer(Rpc.CONTROLLER_EXPAND_VOLUME, request -> new ControllerExpandVolumeResponse(150, false));
        assertThat(rig.failed(expand(200), WrongAnswerException.class)).hasMessageContaining("150");
        assertThat(rig.volume().facts().capacityBytes()).isEqualTo(100);
    }

    @Test
    void offlineOnlyPluginIsNotCalledWhileVolumeIsInUse() {
        rig.expansion = EnumSet.of(VolumeExpansion.OFFLINE);
        reported();
        rig.claim("a1", "n1");
        assertThat(rig.failed(expand(200), CsiRequestException.class)).hasMessageContaining("R82");
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_EXPAND_VOLUME)).isEmpty();
        assertThat(rig.volume().spec().capacityRange()).contains(CapacityRange.atLeast(100));
    }

    @Test
    void offlineOnlyPluginIsCalledWhileVolumeIsFree() {
        rig.expansion = EnumSet.of(VolumeExpansion.OFFLINE);
        reported();
        assertThat(rig.done(expand(200)).volume().facts().capacityBytes()).isEqualTo(200);
    }

    @Test
    void pluginThatSupportsOnlyNodeExpansionIsCalledOnNode() {
        rig.claim("a1", "n1");
        rig.controller.remove(ControllerCapability.EXPAND_VOLUME);
        reported();
        ExpandResult result = rig.done(expand(200));
        assertThat(rig.done(result.nodes()).get(0).capacityBytes()).isEqualTo(200);
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_EXPAND_VOLUME)).isEmpty();
    }

    @Test
    void modifyStoresParametersAfterPluginAcceptedThem() {
        rig.gateway.plan(Rpc.CONTROLLER_MODIFY_VOLUME, call -> {
            assertThat(rig.volume().spec().mutableParameters()).isEmpty();
            return rig.provider.answer(call);
        });
        rig.done(rig.engine().volumes().modify(VolumeRig.VOL, Map.of("iops", "100")));
        rig.done(rig.engine().volumes().modify(VolumeRig.VOL, Map.of("tier", "gold")));
        assertThat(rig.volume().spec().mutableParameters())
                .containsExactlyInAnyOrderEntriesOf(Map.of("iops", "100", "tier", "gold"));
        var sent = rig.gateway.request(Rpc.CONTROLLER_MODIFY_VOLUME, ControllerModifyVolumeRequest.class);
        assertThat(sent.mutableParameters())
                .as("only the changed parameters are sent")
                .isEqualTo(Map.of("tier", "gold"));
        assertThat(sent.secrets()).isEqualTo(VolumeRig.SECRETS);
    }

    @Test
    void oldParametersAreKeptAfterRefusedModifyAndModifyWithLostResponseIsRetried() {
        rig.gateway.fail(Rpc.CONTROLLER_MODIFY_VOLUME, StatusCode.INVALID_ARGUMENT);
        rig.failed(rig.engine().volumes().modify(VolumeRig.VOL, Map.of("iops", "-1")), CsiCallException.class);
        assertThat(rig.volume().spec().mutableParameters()).isEmpty();
        rig.gateway
                .lose(Rpc.CONTROLLER_MODIFY_VOLUME, StatusCode.UNAVAILABLE)
                .lose(Rpc.CONTROLLER_MODIFY_VOLUME, StatusCode.UNAVAILABLE);
        rig.later(rig.engine().volumes().modify(VolumeRig.VOL, Map.of("iops", "1")));
        assertThat(rig.volume().spec().mutableParameters()).isEqualTo(Map.of("iops", "1"));
        rig.controller.remove(ControllerCapability.MODIFY_VOLUME);
        reported();
        rig.failed(rig.engine().volumes().modify(VolumeRig.VOL, Map.of("iops", "2")), CsiRequestException.class);
    }

    @Test
    void controllerCallsForOneVolumeDoNotOverlap() {
        VolumeLifecycle engine = rig.engine();
        rig.gateway.hang(Rpc.CONTROLLER_EXPAND_VOLUME);
        CompletableFuture<ExpandResult> expansion = engine.volumes().expand(VolumeRig.VOL, CapacityRange.atLeast(200));
        rig.clock.run();
        CompletableFuture<?> change = engine.volumes().modify(VolumeRig.VOL, Map.of("iops", "1"));
        rig.clock.advance(rig.options.callTimeout().minusSeconds(1));
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_MODIFY_VOLUME)).isEmpty();
        rig.later(expansion);
        rig.later(change);
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_MODIFY_VOLUME)).hasSize(1);
    }

    @Test
    void nodeExpansionsOfOneVolumeOnOneNodeDoNotOverlap() {
        rig.claim("a1", "n1");
        rig.claim("a2", "n1");
        rig.provider.nodeExpansionRequired = true;
        CompletableFuture<NodeExpansion> first = new CompletableFuture<>();
        rig.gateway.plan(Rpc.NODE_EXPAND_VOLUME, call -> first);
        ExpandResult result = rig.done(expand(200));
        assertThat(rig.gateway.requests(Rpc.NODE_EXPAND_VOLUME)).hasSize(1);
        first.complete(new NodeExpansion(200));
        assertThat(rig.done(result.nodes())).hasSize(2);
        assertThat(rig.gateway.requests(Rpc.NODE_EXPAND_VOLUME)).hasSize(2);
    }

    @Test
    void expandAtFollowerCallsNoPluginAndCompletesWhenStateShowsResult() {
        rig.claim("a1", "n1");
        rig.claim("a2", "n2");
        var expansion = rig.follower().volumes().expand(VolumeRig.VOL, CapacityRange.atLeast(200));
        rig.clock.run();
        assertThat(expansion).isNotDone();
        assertThat(rig.gateway.requests(Rpc.CONTROLLER_EXPAND_VOLUME)).isEmpty();
        controllerExpanded(200);
        ExpandResult result = rig.done(expansion);
        assertThat(result.volume().facts().capacityBytes()).isEqualTo(200);
        assertThat(rig.gateway.requests(Rpc.NODE_EXPAND_VOLUME)).isEmpty();
        nodeExpanded("a1", 200);
        rig.clock.run();
        assertThat(result.nodes()).isNotDone();
        rig.ok(new CallCommand.RecordCallError(
                VolumeRig.VOL,
                new CallTarget.OfNodeExpansion(AllocationId.of("a2"), claimIndex("a2"), CapacityRange.atLeast(200)),
                new Attempt("the file system is damaged", Optional.empty()),
                rig.now()));
        var parts = rig.done(result.nodes());
        assertThat(parts).extracting(ExpandResult.NodePart::capacityBytes).containsExactly(200L, 0L);
        assertThat(parts.get(0).error()).isEmpty();
        assertThat(parts.get(1).error()).contains("the file system is damaged");
    }

    private void controllerExpanded(long bytes) {
        rig.ok(new ChangeCommand.RecordExpanded(
                VolumeRig.VOL, rig.volume().createIndex(), CapacityRange.atLeast(200), bytes, true, rig.now()));
    }

    private void nodeExpanded(String allocation, long bytes) {
        rig.ok(new ChangeCommand.RecordNodeExpansion(
                VolumeRig.VOL,
                AllocationId.of(allocation),
                claimIndex(allocation),
                CapacityRange.atLeast(200),
                bytes,
                rig.now()));
    }

    private long claimIndex(String allocation) {
        return rig.volume()
                .claims()
                .get(AllocationId.of(allocation))
                .orElseThrow()
                .createIndex();
    }

    @Test
    void nodeThatMissesExpansionTimeLimitIsReportedAsUnfinished() {
        rig.claim("a1", "n1");
        var expansion = rig.follower().volumes().expand(VolumeRig.VOL, CapacityRange.atLeast(200));
        rig.clock.run();
        controllerExpanded(200);
        ExpandResult result = rig.done(expansion);
        rig.clock.advance(Duration.ofMinutes(11));
        assertThat(rig.done(result.nodes()).get(0).error())
                .hasValueSatisfying(error -> assertThat(error).contains("the leader continues it"));
        assertThat(rig.volume().expansion()).isPresent();
    }

    @Test
    void expansionIsReportedAsUnfinishedIfNoServerLeads() {
        rig.fingerprint("n1", false);
        rig.fingerprint("n2", false);
        UnfinishedException failure = rig.failedLater(
                rig.follower().volumes().expand(VolumeRig.VOL, CapacityRange.atLeast(200)), UnfinishedException.class);
        assertThat(failure)
                .hasMessageContaining("expansion of volume default/vol is not done after 10 min: ")
                .hasMessageContaining("is not healthy")
                .hasMessageContaining("the intent is stored, and the leader continues it");
        assertThat(rig.volume().spec().capacityRange()).contains(CapacityRange.atLeast(200));
        assertThat(rig.volume().toBeExpanded()).isTrue();
    }

    @Test
    void unfinishedExpansionNamesMissingControllerIfLogAnsweredLater() {
        rig.fingerprint("n1", false);
        rig.fingerprint("n2", false);
        VolumeLifecycle follower = rig.follower();
        rig.log.fate = HandLog.Fate.NOT_DURABLE;
        var expansion = follower.volumes().expand(VolumeRig.VOL, CapacityRange.atLeast(200));
        rig.clock.advance(Duration.ofSeconds(1));
        rig.log.notDurable.forEach(Runnable::run);
        rig.clock.advance(Duration.ofMinutes(10).minusSeconds(1).minusMillis(1));
        assertThat(expansion).isNotDone();
        rig.clock.advance(Duration.ofMillis(1));
        assertThat(rig.failed(expansion, UnfinishedException.class))
                .hasMessageContaining("expansion of volume default/vol is not done after 10 min: ")
                .hasMessageContaining("is not healthy")
                .hasMessageContaining("the intent is stored, and the leader continues it");
    }

    @Test
    void repeatedExpandRequestCallsPluginWithoutWaitingForBackoff() {
        VolumeLifecycle engine = rig.engine();
        rig.gateway.failAll(StatusCode.RESOURCE_EXHAUSTED);
        CapacityRange range = CapacityRange.atLeast(200);
        var first = engine.volumes().expand(VolumeRig.VOL, range);
        rig.clock.run();
        rig.gateway.answer();
        var second = engine.volumes().expand(VolumeRig.VOL, range);
        assertThat(rig.done(second).volume().facts().capacityBytes()).isEqualTo(200);
        assertThat(rig.done(first).volume().facts().capacityBytes()).isEqualTo(200);
    }

    @Test
    void nodeExpansionUsesSecretsGivenByCaller() {
        rig.claim("a1", "n1");
        rig.provider.nodeExpansionRequired = true;
        VolumeLifecycle leader = rig.engine();
        Secrets given = Secrets.of(Map.of("given", "by the caller"));
        ExpandResult result =
                rig.done(leader.withSecrets(given).volumes().expand(VolumeRig.VOL, CapacityRange.atLeast(200)));
        assertThat(rig.done(result.nodes()).get(0).error()).isEmpty();
        assertThat(rig.gateway.request(Rpc.NODE_EXPAND_VOLUME, NodeExpand.class).secrets())
                .isEqualTo(given);
    }

    @Test
    void expandResultIncludesNodeExpansionThatEndedBeforeWaitForNodesBegan() {
        rig.claim("a1", "n1");
        Claim claim = rig.volume().claims().iterator().next();
        NodeParts parts = new NodeParts(VolumeRig.VOL, CapacityRange.atLeast(200));
        parts.begin(onNode(claim));
        parts.end(onNode(claim), new NodeExpansion(200));
        assertThat(parts.in(rig.log.snapshot()))
                .as("the claims are not selected yet")
                .isEmpty();
        parts.selectClaims(rig.volume());
        assertThat(parts.in(rig.log.snapshot()).orElseThrow())
                .extracting(ExpandResult.NodePart::capacityBytes)
                .containsExactly(200L);
    }

    private static CallTarget onNode(Claim claim) {
        return new CallTarget.OfNodeExpansion(claim.allocationId(), claim.createIndex(), CapacityRange.atLeast(200));
    }

    @Test
    void expandResultWaitsForNodeCallInFlight() {
        rig.claim("a1", "n1");
        Claim claim = rig.volume().claims().iterator().next();
        NodeParts parts = new NodeParts(VolumeRig.VOL, CapacityRange.atLeast(200));
        parts.begin(onNode(claim));
        parts.selectClaims(rig.volume());
        assertThat(parts.in(rig.log.snapshot()))
                .as("the result waits for the call in flight")
                .isEmpty();
        parts.end(onNode(claim), new NodeExpansion(200));
        assertThat(parts.in(rig.log.snapshot()).orElseThrow())
                .extracting(ExpandResult.NodePart::capacityBytes)
                .containsExactly(200L);
    }
}
