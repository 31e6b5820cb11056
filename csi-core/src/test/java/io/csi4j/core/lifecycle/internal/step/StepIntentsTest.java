package io.csi4j.core.lifecycle.internal.step;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolume;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.command.CallCommand;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.internal.TestPorts;
import io.csi4j.core.lifecycle.internal.UnusedLog;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.WrongPlaceException;
import io.csi4j.core.rpc.ControllerExpandVolumeResponse;
import io.csi4j.core.rpc.CreateVolumeResponse;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.state.RowType;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Attachments;
import io.csi4j.core.volume.Attempt;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.FirstClaim;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeUse;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** When a planned call may still be sent, which part of the row it is for, and what its end means for the row. */
class StepIntentsTest {
    private static final VolumeKey KEY = VolumeKey.of("ns", "v");
    private static final NodeId NODE = NodeId.of("n1");
    private static final RequestedCapability USE = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
    private static final CapacityRange RANGE = CapacityRange.atLeast(10);
    private static final Attempt FAILED = Attempt.failed("it hangs", Instant.EPOCH);
    private static final Attempt REFUSED = new Attempt("no", Optional.empty());

    private final Operations operations = new Operations(TestPorts.of(new UnusedLog(), VirtualTime.inOrder()));

    private static Volume.Builder volume(long createIndex) {
        VolumeSpec spec = VolumeSpec.builder(PluginId.of("p"))
                .requestedCapabilities(List.of(USE))
                .build();
        return Volume.builder(KEY, spec, createIndex, Instant.EPOCH).origin(VolumeOrigin.CREATED);
    }

    private static boolean mayBeSent(CallStep<?> step, Volume.Builder now) {
        NaiveState state = new NaiveState();
        state.putVolume(now.build());
        return step.current(state).isPresent();
    }

    private CsiCallException failure(StatusCode code) {
        return new CsiCallException(
                Rpc.CONTROLLER_MODIFY_VOLUME,
                "p",
                "v",
                code,
                CallOutcome.of(Rpc.CONTROLLER_MODIFY_VOLUME, code, false),
                "it said so",
                code.name(),
                null);
    }

    private static CallCommand.RecordCallError error(CallEnd end) {
        assertThat(end.facts()).hasSize(1);
        return (CallCommand.RecordCallError) end.facts().get(0);
    }

    @Test
    void modificationIsSentWhileItIsRequestedUnchanged() {
        Modification asked = Modification.of(Map.of("a", "1"), 7).begun(8);
        Volume planned = volume(1).modification(asked.failed(FAILED)).build();
        ModifyStep step = new ModifyStep(operations, planned);
        assertThat(step.attempt(planned)).isEqualTo(2);
        assertThat(step.target(planned)).isEqualTo(new CallTarget.OfModification(7));
        assertThat(mayBeSent(step, volume(1).modification(asked))).isTrue();
        assertThat(mayBeSent(step, volume(2).modification(asked))).isFalse();
        assertThat(mayBeSent(step, volume(1).modification(asked).phase(VolumePhase.DELETING)))
                .isFalse();
        assertThat(mayBeSent(step, volume(1))).isFalse();
        assertThat(mayBeSent(step, volume(1).modification(asked.failed(REFUSED))))
                .isFalse();
        assertThat(mayBeSent(step, volume(1).modification(asked.and(Map.of("b", "2"), 9))))
                .as("more was asked for since")
                .isFalse();
        assertThat(mayBeSent(step, volume(1).modification(Modification.of(Map.of("a", "1"), 9))))
                .as("the same was asked for again")
                .isFalse();
    }

    @Test
    void refusedModificationIsFinalIfItsCallIsTheOnlyOne() {
        Modification asked = Modification.of(Map.of("a", "1"), 7).begun(8);
        Volume begun = volume(1).modification(asked).build();
        ModifyStep step = new ModifyStep(operations, begun);
        CallEnd refused = step.failed(new NaiveState(), begun, failure(StatusCode.INVALID_ARGUMENT));
        assertThat(error(refused).attempt().nextRetry()).isEmpty();
        assertThat(refused.failure()).isInstanceOf(CsiCallException.class);
        CallEnd lost = step.failed(new NaiveState(), begun, failure(StatusCode.UNAVAILABLE));
        assertThat(error(lost).attempt().nextRetry()).isPresent();

        Volume replaced =
                volume(1).modification(Modification.of(Map.of("a", "2"), 9)).build();
        CallEnd late = step.failed(new NaiveState(), replaced, failure(StatusCode.INVALID_ARGUMENT));
        assertThat(late.facts()).as("the row has another modification").isEmpty();
        assertThat(late.failure()).isInstanceOf(CsiCallException.class);
    }

    @Test
    void expansionIsSentWhileTheControllerHasToExpandToTheSameSize() {
        Expansion asked = Expansion.to(RANGE);
        Volume planned = volume(1).expansion(asked.failed(FAILED)).build();
        ExpandStep step = new ExpandStep(operations, planned);
        assertThat(step.attempt(planned)).isEqualTo(2);
        assertThat(step.target(planned)).isEqualTo(new CallTarget.OfExpansion(RANGE));
        assertThat(mayBeSent(step, volume(1).expansion(asked))).isTrue();
        assertThat(mayBeSent(step, volume(2).expansion(asked))).isFalse();
        assertThat(mayBeSent(step, volume(1))).isFalse();
        assertThat(mayBeSent(step, volume(1).expansion(asked.grown()))).isFalse();
        assertThat(mayBeSent(step, volume(1).expansion(asked.failed(REFUSED)))).isFalse();
        assertThat(mayBeSent(step, volume(1).expansion(Expansion.to(CapacityRange.atLeast(20)))))
                .isFalse();
    }

    @Test
    void expansionThatIsTooSmallHasFailed() {
        Volume sent = volume(1).expansion(Expansion.to(RANGE)).build();
        ExpandStep step = new ExpandStep(operations, sent);
        CallEnd tooSmall = step.done(new NaiveState(), sent, new ControllerExpandVolumeResponse(9, false));
        assertThat(tooSmall.failure()).hasMessageContaining("it has 9 bytes, and 10 are required");
        CallEnd exact = step.done(new NaiveState(), sent, new ControllerExpandVolumeResponse(10, false));
        assertThat(exact.failure()).isNull();
        assertThat(exact.facts()).singleElement().isInstanceOf(ChangeCommand.RecordExpanded.class);
    }

    @Test
    void volumeIsVerifiedWhileItsQuestionIsTheSame() {
        Verification asked = Verification.asked(5);
        Volume planned = volume(1).verification(asked.failed(FAILED)).build();
        VerifyStep step = new VerifyStep(operations, planned);
        assertThat(step.attempt(planned)).isEqualTo(2);
        assertThat(step.target(planned)).isEqualTo(new CallTarget.OfVerification(1, 5, 0));
        assertThat(mayBeSent(step, volume(1).verification(asked.failed(FAILED))))
                .isTrue();
        assertThat(mayBeSent(step, volume(1).verification(asked)))
                .as("it was asked for again")
                .isFalse();
        assertThat(mayBeSent(step, volume(1).verification(Verification.confirmed(5, Instant.EPOCH))))
                .isFalse();
        assertThat(mayBeSent(step, volume(2).verification(asked.failed(FAILED))))
                .isFalse();

        CallEnd notFound = step.failed(new NaiveState(), planned, failure(StatusCode.NOT_FOUND));
        assertThat(error(notFound).target()).isEqualTo(new CallTarget.OfVerification(1, 5, 1));
        CallEnd unavailable = step.failed(new NaiveState(), planned, failure(StatusCode.UNAVAILABLE));
        assertThat(error(unavailable).target()).isEqualTo(new CallTarget.OfVerification(1, 5, 0));
        for (StatusCode refusal : List.of(StatusCode.UNIMPLEMENTED, StatusCode.INVALID_ARGUMENT)) {
            CallEnd refused = step.failed(new NaiveState(), planned, failure(refusal));
            assertThat(refused.failure()).isNull();
            assertThat(refused.facts()).singleElement().isInstanceOf(VolumeCommand.RecordVerified.class);
        }
    }

    @Test
    void volumeIsDetachedFromItsNodeWhileTheClaimIsBeingReleased() {
        Claim claim = Claim.builder(AllocationId.of("a"), NODE, ClaimMode.WRITE, USE)
                .createIndex(3)
                .takenIndex(4)
                .state(ClaimState.UNPUBLISHING)
                .retry(Retry.none().plus(FAILED))
                .build();
        Claim taken = claim.toBuilder().state(ClaimState.TAKEN).build();
        DetachStep step = new DetachStep(operations, KEY, claim);
        Volume planned = volume(1).claims(Claims.of(List.of(claim))).build();
        assertThat(step.attempt(planned)).isEqualTo(2);
        assertThat(step.target(planned)).isEqualTo(new CallTarget.OfClaim(AllocationId.of("a"), 4));
        assertThat(step.nodeId()).contains(NODE);
        assertThat(step.takesSecrets()).isFalse();
        assertThat(step.outlivesTerm())
                .as("the next leader asks the node itself")
                .isFalse();
        assertThat(mayBeSent(step, volume(1).claims(Claims.of(List.of(claim))))).isTrue();
        assertThat(mayBeSent(step, volume(1).claims(Claims.of(List.of(taken))))).isFalse();
        assertThat(mayBeSent(step, volume(1))).isFalse();

        NaiveState gone = new NaiveState();
        assertThat(step.failed(gone, planned, failure(StatusCode.UNAVAILABLE)).facts())
                .isEmpty();
        assertThat(step.done(gone, planned, new NodeDetached(Optional.empty())).facts())
                .isEmpty();
    }

    private static Claim claim(String allocation, ClaimState state) {
        return Claim.builder(AllocationId.of(allocation), NODE, ClaimMode.WRITE, USE)
                .externalNodeId(ExternalNodeId.of("ext-n1"))
                .createIndex(3)
                .takenIndex(4)
                .state(state)
                .build();
    }

    private static VolumeUse use(String volume, String allocation) {
        return new VolumeUse(
                VolumeKey.of("ns", volume),
                PluginId.of("p"),
                ExternalVolumeId.of(volume),
                AllocationId.of(allocation),
                ClaimMode.WRITE,
                USE,
                false);
    }

    /** The volume must not be detached from the node under a user whose claim does not hold it there. */
    @Test
    void usesWithoutAClaimThatHoldsTheVolumeAreAdoptedBeforeTheClaimIsDetached() {
        Claim own = claim("a", ClaimState.UNPUBLISHING);
        Claim overridden = claim("d", ClaimState.NODE_DETACHED).toBuilder()
                .operatorOverride(new OperatorOverride("op", "seen", Instant.EPOCH))
                .build();
        Volume row = volume(1)
                .claims(Claims.of(
                        List.of(own, claim("b", ClaimState.TAKEN), claim("c", ClaimState.NODE_DETACHED), overridden)))
                .build();
        NaiveState state = new NaiveState();
        state.putVolume(row);
        DetachStep step = new DetachStep(operations, KEY, own);
        List<VolumeUse> uses = List.of(use("v", "b"), use("v", "c"), use("v", "d"), use("v", "e"), use("another", "f"));
        List<Command> facts =
                step.done(state, row, new NodeDetached(Optional.of(uses))).facts();
        assertThat(facts).hasSize(2);
        assertThat(((ClaimCommand.AdoptUses) facts.get(0)).uses()).containsExactly(use("v", "c"), use("v", "e"));
        assertThat(((ClaimCommand.CheckpointClaim) facts.get(1)).state()).isEqualTo(ClaimState.NODE_DETACHED);
        assertThat(step.done(state, row, new NodeDetached(Optional.of(List.of(use("v", "b")))))
                        .facts())
                .as("all uses have claims")
                .hasSize(1);

        NodeMachine replaced = new NodeMachine(
                PluginId.of("p"),
                ExternalNodeId.of("ext-new"),
                false,
                List.of(new NodeMachine.Former(ExternalNodeId.of("ext-n1"), false)),
                Optional.empty());
        Node node = new Node(NODE, NodeStatus.READY, Instant.EPOCH, "", 5);
        state.put(RowType.NODES, node);
        assertThat(step.done(state, row, new NodeDetached(Optional.empty())).facts())
                .hasSize(1);
        state.put(RowType.NODES, node.with(replaced, 6));
        assertThat(step.done(state, row, new NodeDetached(Optional.empty())).facts())
                .as("the present machine may have answered")
                .isEmpty();
    }

    @Test
    void attemptsAtTheCreationAndTheDeletionAreCounted() {
        Volume creating = volume(1).phase(VolumePhase.CREATING).build();
        assertThat(new CreateStep(operations, creating).attempt(creating)).isEqualTo(1);
        Volume deleting = volume(1)
                .phase(VolumePhase.DELETING)
                .retry(Retry.none().plus(FAILED))
                .build();
        assertThat(new DeleteStep(operations, deleting).attempt(deleting)).isEqualTo(2);
    }

    private CallEnd createdIn(FirstClaim claim, List<Topology> made) {
        VolumeSpec spec = volume(1).build().spec().toBuilder()
                .accessibilityRequirements(new TopologyRequirement(List.of(), List.of(Topology.of("zone", "z1"))))
                .build();
        Volume begun = volume(1)
                .phase(VolumePhase.CREATING)
                .spec(spec)
                .firstClaim(claim)
                .build();
        ExternalVolume answer = ExternalVolume.builder(ExternalVolumeId.of("x"))
                .accessibleTopology(made)
                .build();
        return new CreateStep(operations, begun).done(new NaiveState(), begun, new CreateVolumeResponse(answer));
    }

    @Test
    void volumeForAClaimIsGivenUpIfItsNodeCannotUseIt() {
        FirstClaim claim = new FirstClaim(AllocationId.of("a"), NODE, List.of(), false);
        List<Topology> elsewhere = List.of(Topology.of("zone", "z2"));
        assertThat(createdIn(claim, elsewhere).failure()).isInstanceOf(WrongPlaceException.class);
        assertThat(createdIn(claim, List.of(Topology.of("zone", "z1"))).failure())
                .isNull();
        assertThat(createdIn(claim, List.of()).failure())
                .as("it can be used everywhere")
                .isNull();
        assertThat(createdIn(null, elsewhere).failure()).as("no claim waits").isNull();
    }

    @Test
    void searchForAVolumeEndsWhenThePluginHadNoRoomForTheThirdTime() {
        Retry retry = Retry.none();
        for (int attempt = 1; attempt <= 3; attempt++) {
            Volume begun = volume(1)
                    .phase(VolumePhase.DELETING)
                    .retry(retry.begun(attempt))
                    .build();
            CallEnd end = new FindIdStep(operations, begun)
                    .failed(new NaiveState(), begun, failure(StatusCode.RESOURCE_EXHAUSTED));
            assertThat(end.refused()).as("attempt %s", attempt).isEqualTo(attempt == 3);
            retry = Retry.of(attempt, "no room", Instant.EPOCH);
        }
    }

    @Test
    void attachmentIsChangedWhileItIsTheSame() {
        Attachment publishing = Attachment.builder(NODE, USE)
                .externalNodeId(ExternalNodeId.of("ext-n1"))
                .createIndex(6)
                .state(AttachmentState.PUBLISHING)
                .retry(Retry.none().plus(FAILED))
                .build();
        PublishStep publish = new PublishStep(operations, null, KEY, publishing);
        Volume planned =
                volume(1).attachments(Attachments.of(List.of(publishing))).build();
        assertThat(publish.attempt(planned)).isEqualTo(2);
        assertThat(publish.target(planned)).isEqualTo(new CallTarget.OfAttachment(NODE, 6));
        assertThat(publish.outlivesTerm()).isFalse();
        assertThat(mayBeSent(publish, planned.toBuilder())).isTrue();
        for (Attachment other : List.of(
                publishing.toBuilder().state(AttachmentState.UNPUBLISHING).build(),
                publishing.toBuilder()
                        .externalNodeId(ExternalNodeId.of("another"))
                        .build(),
                publishing.toBuilder().createIndex(7).build())) {
            assertThat(mayBeSent(publish, volume(1).attachments(Attachments.of(List.of(other)))))
                    .as("%s", other)
                    .isFalse();
        }

        Attachment unpublishing =
                publishing.toBuilder().state(AttachmentState.UNPUBLISHING).build();
        UnpublishStep unpublish = new UnpublishStep(operations, null, KEY, unpublishing);
        Volume.Builder row = volume(1).attachments(Attachments.of(List.of(unpublishing)));
        assertThat(mayBeSent(unpublish, row)).isTrue();
        Claim claim = Claim.builder(AllocationId.of("a"), NODE, ClaimMode.WRITE, USE)
                .createIndex(8)
                .build();
        assertThat(mayBeSent(unpublish, row.claims(Claims.of(List.of(claim)))))
                .as("it may be mounted there")
                .isFalse();
        assertThat(mayBeSent(
                        unpublish,
                        row.claims(Claims.of(List.of(claim.toBuilder()
                                .state(ClaimState.NODE_DETACHED)
                                .build())))))
                .isTrue();
    }
}
