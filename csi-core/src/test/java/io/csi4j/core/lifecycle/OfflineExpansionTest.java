package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.LifecycleRig.SHARED;
import static io.csi4j.core.lifecycle.LifecycleRig.SINGLE;
import static io.csi4j.core.lifecycle.LifecycleRig.VOL;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.VolumeExpansion;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.placement.FeasibleNodes;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A plugin that expands volumes only while nobody uses them (R82), and has no call that would keep users away. */
class OfflineExpansionTest {
    private static final CapacityRange MORE = CapacityRange.atLeast(200);
    private static final Duration LONG = Duration.ofHours(1);

    private static void expands(LifecycleRig rig, VolumeExpansion how, String version) {
        for (String node : List.of("n1", "n2")) {
            rig.fingerprint(rig.instance(node)
                    .capabilities(known -> known.withController(ControllerCapability.EXPAND_VOLUME)
                            .withVolumeExpansion(how))
                    .vendorVersion(version)
                    .build());
        }
    }

    private static LifecycleRig rig(LifecycleRig rig, VolumeExpansion how) {
        expands(rig, how, "7");
        return rig.volume(VOL);
    }

    private static LifecycleRig offline() {
        return rig(LifecycleRig.leading(), VolumeExpansion.OFFLINE);
    }

    private static CompletableFuture<ExpandResult> expand(LifecycleRig rig) {
        var expansion = rig.host.volumes().expand(VOL, MORE);
        rig.clock.run();
        return expansion;
    }

    private static void ended(LifecycleRig rig, String allocation) {
        rig.allocation(allocation, "n1", AllocationStatus.ENDED);
        rig.clock.advance(LONG);
    }

    private static int sent(LifecycleRig rig) {
        return rig.gateway.requests(Rpc.CONTROLLER_EXPAND_VOLUME).size();
    }

    @Test
    void claimWaitsForRequestedOfflineExpansion() {
        LifecycleRig rig = offline();
        rig.gateway.hang(Rpc.CONTROLLER_EXPAND_VOLUME);
        var expansion = expand(rig);
        var grant = rig.claim("a", "n1", SINGLE);
        assertThat(grant).isNotDone();
        var status = rig.done(rig.host.claims().status(VOL)).orElseThrow();
        assertThat(status.waiting().get(0).reason().orElseThrow().reason()).isEqualTo(WaitReason.EXPANDING_OFFLINE);
        rig.clock.advance(Duration.ofMinutes(4));
        // Nobody knows what the first call is at.
        assertThat(grant).isNotDone();
        rig.clock.advance(LONG);
        assertThat(sent(rig)).isEqualTo(2);
        assertThat(expansion).isCompleted();
        assertThat(grant).isCompleted();
    }

    @Test
    void claimsKeepWaitingIfOrphanedAttachmentIsFoundDuringOfflineExpansion() {
        LifecycleRig rig = offline();
        rig.gateway.hang(Rpc.CONTROLLER_EXPAND_VOLUME);
        var unused = expand(rig);
        rig.ok(new AttachmentCommand.RecordOrphan(
                VOL, NodeId.of("n2"), ExternalNodeId.of("ext-n2"), rig.get(VOL).modifyIndex(), rig.now()));
        var grant = rig.claim("a", "n1", LifecycleRig.SHARED);
        assertThat(grant).as("the expansion call may still be running").isNotDone();
        var status = rig.done(rig.host.claims().status(VOL)).orElseThrow();
        assertThat(status.waiting().get(0).reason().orElseThrow().reason()).isEqualTo(WaitReason.EXPANDING_OFFLINE);
    }

    @Test
    void placementCheckAndClaimBothWaitDuringOfflineExpansion() {
        LifecycleRig rig = offline();
        rig.gateway.hang(Rpc.CONTROLLER_EXPAND_VOLUME);
        var unused = expand(rig);
        var requests = List.of(LifecycleRig.write(VOL, SINGLE));
        var placement = FeasibleNodes.in(rig.log.snapshot()).on(VOL.namespace(), NodeId.of("n1"), requests);
        var waiting = rig.claim("a", "n1", SINGLE);
        assertThat(waiting).isNotDone();
        assertThat(placement.refusals().get(VOL))
                .isInstanceOfSatisfying(
                        AdmissionDecision.Wait.class,
                        wait -> assertThat(wait.reason()).isEqualTo(WaitReason.EXPANDING_OFFLINE));
    }

    @Test
    void refusedOfflineExpansionDoesNotBlockClaims() {
        LifecycleRig rig = offline();
        rig.gateway.fail(Rpc.CONTROLLER_EXPAND_VOLUME, StatusCode.OUT_OF_RANGE);
        assertThat(expand(rig)).isCompletedExceptionally();
        assertThat(rig.claim("a", "n1", SINGLE)).isCompleted();
    }

    @Test
    void onlineExpansionDoesNotBlockClaims() {
        LifecycleRig rig = rig(LifecycleRig.leading(), VolumeExpansion.ONLINE);
        rig.gateway.hang(Rpc.CONTROLLER_EXPAND_VOLUME);
        var unused = expand(rig);
        assertThat(rig.claim("a", "n1", SINGLE)).isCompleted();
    }

    @Test
    void offlineExpansionWaitsForReleaseOfExistingClaims() {
        LifecycleRig rig = offline();
        assertThat(rig.claim("a", "n1", SHARED)).isCompleted();
        // Nobody used it when it was asked for, and the command comes through now.
        rig.ok(new ChangeCommand.BeginExpansion(VOL, MORE, rig.clock.instant()));
        assertThat(rig.claim("b", "n1", SHARED)).isCompleted();
        ended(rig, "a");
        assertThat(sent(rig)).isZero();
        ended(rig, "b");
        assertThat(sent(rig)).isOne();
        assertThat(rig.get(VOL).facts().capacityBytes()).isEqualTo(MORE.requiredBytes());
    }

    @Test
    void queuedExpansionOfVolumeInUseIsNotSentAfterPluginBecomesOfflineOnly() {
        LifecycleRig rig = rig(
                LifecycleRig.leading(LifecycleOptions.builder().callsInFlight(1).build()), VolumeExpansion.ONLINE);
        VolumeKey other = VolumeKey.of("default", "other");
        rig.volume(other);
        rig.gateway.hang(Rpc.CONTROLLER_EXPAND_VOLUME);
        var first = rig.host.volumes().expand(other, MORE);
        rig.clock.run();
        var second = expand(rig);
        assertThat(sent(rig)).isOne();
        var grant = rig.claim("a", "n1", SINGLE);
        assertThat(grant).isCompleted();
        // An older version of it takes its place.
        expands(rig, VolumeExpansion.OFFLINE, "6");
        rig.clock.advance(LONG);
        assertThat(first).isCompleted();
        assertThat(second).isCompletedExceptionally();
        assertThat(sent(rig)).isEqualTo(2);
        ended(rig, "a");
        assertThat(sent(rig)).isEqualTo(3);
        assertThat(rig.get(VOL).facts().capacityBytes()).isEqualTo(MORE.requiredBytes());
    }

    @Test
    void unfinishedExpansionCanBeWithdrawn() {
        LifecycleRig rig = offline();
        rig.gateway.failAll(StatusCode.INTERNAL);
        var expansion = expand(rig);
        var grant = rig.claim("a", "n1", SINGLE);
        rig.clock.advance(LONG);
        assertThat(grant).isNotDone();
        assertThat(sent(rig)).isGreaterThan(2);
        rig.gateway.answer();
        Volume withdrawn = rig.done(rig.host.operator().withdrawExpansion(VOL));
        assertThat(withdrawn.expansion()).isEmpty();
        assertThat(withdrawn.spec().capacityRange()).isNotEqualTo(Optional.of(MORE));
        rig.clock.run();
        assertThat(grant).isCompleted();
        int before = sent(rig);
        rig.clock.advance(LONG);
        assertThat(sent(rig)).isEqualTo(before);
        assertThat(expansion).isCompletedExceptionally();
        assertThat(rig.done(rig.host.operator().withdrawExpansion(VOL)).expansion())
                .isEmpty();
    }

    @Test
    void withdrawalWaitsForExpansionCallInFlight() {
        LifecycleRig rig = offline();
        rig.gateway.hang(Rpc.CONTROLLER_EXPAND_VOLUME);
        var expansion = expand(rig);
        var grant = rig.claim("a", "n1", SINGLE);
        var withdrawal = rig.host.operator().withdrawExpansion(VOL);
        rig.clock.advance(Duration.ofMinutes(4));
        assertThat(withdrawal).isNotDone();
        assertThat(grant).isNotDone();
        rig.clock.advance(LONG);
        assertThat(withdrawal).isCompleted();
        assertThat(sent(rig)).isEqualTo(1);
        assertThat(rig.get(VOL).facts().capacityBytes()).isLessThan(MORE.requiredBytes());
        assertThat(grant).isCompleted();
        assertThatThrownBy(() -> expansion.get(0, TimeUnit.SECONDS)).hasMessageContaining("was withdrawn");
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void repeatedWithdrawalEndsNoOtherExpansion(boolean applied) {
        LifecycleRig rig = offline();
        rig.gateway.failAll(StatusCode.INTERNAL);
        var expansion = expand(rig);
        rig.log.lose(1, applied);
        var withdrawal = rig.host.operator().withdrawExpansion(VOL);
        rig.clock.run();
        assertThat(withdrawal).isNotDone();
        CapacityRange other = CapacityRange.atLeast(300);
        rig.ok(new ChangeCommand.BeginExpansion(VOL, other, rig.clock.instant()));
        rig.clock.advance(LONG);
        assertThat(withdrawal).isCompleted();
        assertThat(expansion).isCompletedExceptionally();
        assertThat(rig.get(VOL).expansion().orElseThrow().range()).isEqualTo(other);
    }

    @Test
    void resultOfWithdrawnExpansionIsStoredAndNodesExpandVolume() {
        LifecycleRig rig = rig(LifecycleRig.leading(), VolumeExpansion.ONLINE);
        assertThat(rig.claim("a", "n1", SINGLE)).isCompleted();
        long index = rig.get(VOL).createIndex();
        rig.ok(new ChangeCommand.RecordExpanded(VOL, index, MORE, MORE.requiredBytes(), true, rig.clock.instant()));
        rig.clock.advance(LONG);
        assertThat(rig.get(VOL).facts().capacityBytes()).isEqualTo(MORE.requiredBytes());
        assertThat(rig.gateway.requests(Rpc.NODE_EXPAND_VOLUME)).hasSize(1);
        assertThat(rig.get(VOL).expansion()).isEmpty();
        // The same told once more is no news.
        rig.ok(new ChangeCommand.RecordExpanded(VOL, index, MORE, MORE.requiredBytes(), true, rig.clock.instant()));
        assertThat(rig.get(VOL).expansion()).isEmpty();
    }

    @Test
    void expansionCannotBeWithdrawnAfterControllerFinishedIt() {
        LifecycleRig rig = rig(LifecycleRig.leading(), VolumeExpansion.ONLINE);
        assertThat(rig.claim("a", "n1", SINGLE)).isCompleted();
        rig.gateway.hang(Rpc.NODE_EXPAND_VOLUME);
        rig.provider.nodeExpansionRequired = true;
        rig.ok(new ChangeCommand.BeginExpansion(VOL, MORE, rig.clock.instant()));
        rig.clock.run();
        var refused = rig.host.operator().withdrawExpansion(VOL);
        rig.clock.run();
        assertThatThrownBy(() -> refused.get(0, TimeUnit.SECONDS))
                .hasMessageContaining("only its nodes have to see to it");
        rig.clock.advance(LONG);
        assertThat(rig.get(VOL).expansion()).isEmpty();
    }
}
