package io.csi4j.core.lifecycle;

import static io.csi4j.core.lifecycle.Rig.VOL;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.rpc.ControllerUnpublishVolumeRequest;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An operator detaches a volume from a node where the state has neither a claim nor an attachment of it. */
class DetachWithoutRecordTest {
    private static final NodeId N1 = NodeId.of("n1");

    private final LifecycleRig rig = LifecycleRig.leading().volume(VOL);

    @Test
    void detachFromUnknownNodeIsRejected() {
        RejectedException failure =
                rig.failed(rig.host.operator().detach(VOL, NodeId.of("mistyped")), RejectedException.class);
        assertThat(failure.reason()).isEqualTo(new Rejection.NodeNotFound(NodeId.of("mistyped")));
        assertThat(rig.gateway.calls()).isEmpty();
    }

    @Test
    void attachmentThatOnlyProviderKnowsIsDetached() {
        String there = rig.get(VOL).remoteId() + "@ext-n1";
        rig.provider.attach(there);
        DetachReport report = rig.done(rig.host.operator().detach(VOL, N1));
        assertThat(report.detached()).isTrue();
        assertThat(rig.provider.attached).isEmpty();
        assertThat(rig.gateway
                        .request(Rpc.CONTROLLER_UNPUBLISH_VOLUME, ControllerUnpublishVolumeRequest.class)
                        .nodeId())
                .contains(ExternalNodeId.of("ext-n1"));
        assertThat(rig.get(VOL).inUse()).isFalse();
    }

    @Test
    void failedDetachmentStaysInStateAndIsReported() {
        rig.gateway.failAll(StatusCode.INTERNAL);
        DetachReport report = rig.done(rig.host.operator().detach(VOL, N1));
        assertThat(report.detached()).isFalse();
        assertThat(report.attachment().orElseThrow().state()).isEqualTo(AttachmentState.UNPUBLISHING);
        assertThat(rig.get(VOL).attachments().on(N1)).isPresent();
        rig.gateway.answer();
        assertThat(rig.done(rig.host.operator().detach(VOL, N1)).detached()).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void lostAnswerOfTheLogIsRepeated(boolean applied) {
        rig.provider.attach(rig.get(VOL).remoteId() + "@ext-n1");
        rig.log.lose(1, applied);
        assertThat(rig.later(rig.host.operator().detach(VOL, N1)).detached()).isTrue();
        assertThat(rig.provider.attached).isEmpty();
    }

    @Test
    void volumeThatChangesMeanwhileIsReadAgain() {
        rig.provider.attach(rig.get(VOL).remoteId() + "@ext-n1");
        boolean[] changed = new boolean[1];
        rig.log.beforeSubmit = command -> {
            if (command instanceof AttachmentCommand.RecordOrphan && !changed[0]) {
                changed[0] = true;
                Volume row = rig.get(VOL);
                rig.ok(new VolumeCommand.UpdateVolume(
                        VOL,
                        row.spec().toBuilder()
                                .capacityRange(CapacityRange.atLeast(1))
                                .build(),
                        row.modifyIndex(),
                        rig.now()));
            }
        };
        assertThat(rig.later(rig.host.operator().detach(VOL, N1)).detached()).isTrue();
        assertThat(changed[0]).isTrue();
        assertThat(rig.provider.attached).isEmpty();
    }

    @Test
    void reportSaysProviderWasNotCalledIfExternalNodeIdIsUnknown() {
        // The node has no instance of the plugin, so nobody knows what the provider calls it.
        rig.ok(new NodeCommand.UpsertNode(NodeId.of("bare"), rig.now()));
        DetachReport report = rig.done(rig.host.operator().detach(VOL, NodeId.of("bare")));
        assertThat(report.detached()).isFalse();
        assertThat(report.notAsked())
                .hasValueSatisfying(reason -> assertThat(reason).contains("bare"));
        assertThat(rig.gateway.calls()).isEmpty();
        assertThat(rig.get(VOL).inUse()).isFalse();
    }

    @Test
    void detachDoesNotCallPluginThatNeverAttaches() {
        for (String node : List.of("n1", "n2")) {
            rig.fingerprint(rig.instance(node)
                    .capabilities(known -> known.withController(ControllerCapability.CREATE_DELETE_VOLUME))
                    .build());
        }
        DetachReport report = rig.done(rig.host.operator().detach(VOL, N1));
        assertThat(report.detached()).isTrue();
        assertThat(report.notAsked()).isEmpty();
        assertThat(rig.gateway.calls()).isEmpty();
    }

    @Test
    void detachKeepsClaimThatWasTakenEarlier() {
        rig.gateway.leaveOpen();
        CompletableFuture<ClaimGrant> grant = rig.claim("a", "n1", LifecycleRig.SINGLE);
        rig.gateway.answer();
        rig.gateway.open.forEach(HandCall::succeed);
        rig.done(grant);
        DetachReport report = rig.done(rig.host.operator().detach(VOL, N1));
        assertThat(report.held()).extracting(claim -> claim.allocationId()).containsExactly(AllocationId.of("a"));
        assertThat(rig.gateway.rpcs()).doesNotContain(Rpc.CONTROLLER_UNPUBLISH_VOLUME);
    }

    @Test
    void volumeThatWasDeletedMeanwhileIsNotDetachedForEver() {
        rig.gateway.leaveOpen();
        rig.ok(new VolumeCommand.SetVolumePhase(VOL, VolumePhase.DELETING, rig.now()));
        DetachReport report = rig.done(rig.host.operator().detach(VOL, N1));
        assertThat(report.attachment().orElseThrow().state()).isEqualTo(AttachmentState.UNPUBLISHING);
        assertThat(rig.gateway.rpcs())
                .as("no other controller call runs during DeleteVolume (R26)")
                .doesNotContain(Rpc.CONTROLLER_UNPUBLISH_VOLUME);
        rig.gateway.answer();
        rig.gateway.fail(Rpc.CONTROLLER_UNPUBLISH_VOLUME, StatusCode.NOT_FOUND);
        rig.gateway.open.forEach(HandCall::succeed);
        rig.clock.advance(Duration.ofSeconds(1));
        assertThat(rig.gateway.rpcs())
                .containsSubsequence(Rpc.DELETE_VOLUME, Rpc.CONTROLLER_UNPUBLISH_VOLUME, Rpc.DELETE_VOLUME);
        assertThat(rig.log.snapshot().volume(VOL)).isEmpty();
    }

    @Test
    void detachOnNonLeadingServerStoresNothing() {
        LifecycleRig following = LifecycleRig.following().volume(VOL);
        following.failed(following.host.operator().detach(VOL, N1), NotLeadingException.class);
        assertThat(following.get(VOL).inUse()).isFalse();
    }
}
