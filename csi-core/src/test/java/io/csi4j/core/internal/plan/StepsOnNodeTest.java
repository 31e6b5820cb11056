package io.csi4j.core.internal.plan;

import static io.csi4j.core.internal.plan.Sample.GRACE;
import static io.csi4j.core.internal.plan.Sample.N1;
import static io.csi4j.core.internal.plan.Sample.N2;
import static io.csi4j.core.internal.plan.Sample.NOW;
import static io.csi4j.core.internal.plan.Sample.PLUGIN;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeMachine;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.RemainingWork.Kind;
import io.csi4j.core.volume.RemainingWork.Reason;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** The steps for one volume on one node, each with the reason for which it waits. */
class StepsOnNodeTest {
    private static final FencingPolicy WAIT = FencingPolicy.waitForConfirmation();
    private static final InFlightSnapshot CALL_TO_NODE = new InFlightSnapshot(false, Set.of(), Set.of(N1));
    private static final InFlightSnapshot CALL_FOR_NODE = new InFlightSnapshot(false, Set.of(N1), Set.of());
    private static final Claim TAKEN = Sample.taken("a", N1);

    private static Volume volume(List<Claim> claims, Attachment... attachments) {
        return volume(WAIT, claims, attachments);
    }

    private static Volume volume(FencingPolicy policy, List<Claim> claims, Attachment... attachments) {
        return Sample.volume(
                VolumePhase.AVAILABLE,
                policy,
                claims.stream().map(Optional::of).toList(),
                List.of(attachments).stream().map(Optional::of).toList());
    }

    private static Attachment attachment(NodeId node, AttachmentState state) {
        return Sample.attachment(node, state, false, false, true);
    }

    private static Volume publishing() {
        return volume(List.of(TAKEN), attachment(N1, AttachmentState.PUBLISHING));
    }

    private static Volume expanding(Claim claim) {
        return volume(List.of(claim)).toBuilder()
                .expansion(Expansion.to(CapacityRange.atLeast(200)).grown())
                .build();
    }

    private static PlanFacts.Builder facts() {
        return facts(Sample.node(N1, NodeStatus.READY, NOW));
    }

    private static PlanFacts.Builder facts(Node node) {
        return PlanFacts.builder(NOW)
                .inStatus(Sample.since(NOW))
                .controllerNeed(ControllerNeed.REQUIRED)
                .controllerAvailable(true)
                .nodes(id -> id.equals(N1) ? Optional.of(node) : Optional.of(Sample.node(id, NodeStatus.READY, NOW)));
    }

    /** Returns node N1 with another machine behind it than that of its claims. */
    private static Node replaced() {
        ExternalNodeId former = ExternalNodeId.of("ext-n1");
        return Sample.node(N1, NodeStatus.READY, NOW)
                .with(
                        new NodeMachine(
                                PLUGIN,
                                ExternalNodeId.of("ext-new"),
                                false,
                                List.of(new NodeMachine.Former(former, false)),
                                Optional.empty()),
                        1);
    }

    private static void assertWaits(Reason reason, Volume volume, PlanFacts.Builder facts) {
        Plan plan = VolumePlan.of(volume, facts.build());
        assertThat(plan.actions()).isEmpty();
        assertThat(plan.waits()).extracting(RemainingWork.Wait::reason).containsExactly(reason);
        assertThat(plan.waits().get(0).nodeId()).contains(N1);
    }

    private static void assertSteps(Volume volume, PlanFacts.Builder facts, Kind... steps) {
        Plan plan = VolumePlan.of(volume, facts.build());
        assertThat(plan.actions()).extracting(PlannedStep::kind).containsExactly(steps);
        assertThat(plan.waits()).isEmpty();
    }

    @Test
    void planSaysWhyVolumeIsNotPublishedYet() {
        assertSteps(publishing(), facts(), Kind.CONTROLLER_PUBLISH);
        assertWaits(Reason.CALL_IN_FLIGHT, publishing(), facts().calls(CALL_FOR_NODE));
        assertWaits(Reason.CALL_IN_FLIGHT, publishing(), facts().calls(CALL_TO_NODE));
        assertWaits(Reason.NODE_NOT_KNOWN, publishing(), facts().nodes(id -> Optional.empty()));
        assertWaits(Reason.NODE_NOT_READY, publishing(), facts(Sample.node(N1, NodeStatus.DOWN, NOW)));
        assertWaits(Reason.PROVIDER_CONFLICT, publishing(), facts().providerConflict(N1::equals));
        assertWaits(Reason.LEDGER_NOT_KNOWN, publishing(), facts().ledgersUnsettled(() -> true));
        Plan ofFormer = VolumePlan.of(publishing(), facts(replaced()).build());
        assertThat(ofFormer.calls()).isEmpty();
        assertThat(ofFormer.waits())
                .as("the claim and the attachment of the former machine")
                .extracting(RemainingWork.Wait::reason)
                .containsExactly(Reason.NODE_REPLACED, Reason.NODE_REPLACED);
    }

    @Test
    void volumeForOneNodeIsNotPublishedWhileAdoptedClaimShowsItMountedElsewhere() {
        RequestedCapability one = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
        RequestedCapability many = RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);
        Claim found = claim("b", N2, one).adopted(true).build();
        assertWaits(Reason.IN_USE, publishing(one, found), facts());
        assertSteps(publishing(many, found), facts(), Kind.CONTROLLER_PUBLISH);
        assertSteps(publishing(one, claim("b", N2, one).build()), facts(), Kind.CONTROLLER_PUBLISH);
        assertSteps(publishing(one, claim("b", N1, one).adopted(true).build()), facts(), Kind.CONTROLLER_PUBLISH);
    }

    private static Claim.Builder claim(String allocation, NodeId node, RequestedCapability capability) {
        return Claim.builder(AllocationId.of(allocation), node, ClaimMode.WRITE, capability)
                .externalNodeId(ExternalNodeId.of("ext-" + node));
    }

    private static Volume publishing(RequestedCapability capability, Claim other) {
        Attachment attachment = Attachment.builder(N1, capability)
                .externalNodeId(ExternalNodeId.of("ext-n1"))
                .state(AttachmentState.PUBLISHING)
                .build();
        return volume(List.of(claim("a", N1, capability).build(), other), attachment);
    }

    @Test
    void machineOfAttachmentIsThatOfItsRowOrElseThatOfClaim() {
        Attachment without = Sample.attachment(N1, AttachmentState.PUBLISHING, false, false, false);
        Claim claimWithout = TAKEN.toBuilder().externalNodeId(null).build();
        assertSteps(volume(List.of(TAKEN), without), facts(), Kind.CONTROLLER_PUBLISH);
        assertSteps(
                volume(List.of(claimWithout), attachment(N1, AttachmentState.PUBLISHING)),
                facts(),
                Kind.CONTROLLER_PUBLISH);
        assertWaits(Reason.EXTERNAL_NODE_ID_NOT_KNOWN, volume(List.of(claimWithout), without), facts());
    }

    @Test
    void planSaysWhyNodeDoesNotExpandVolumeYet() {
        Volume volume = expanding(TAKEN);
        assertSteps(volume, facts(), Kind.NODE_EXPAND);
        assertWaits(Reason.CALL_IN_FLIGHT, volume, facts().calls(CALL_TO_NODE));
        assertWaits(Reason.CALL_IN_FLIGHT, volume, facts().calls(CALL_FOR_NODE));
        assertWaits(Reason.NODE_NOT_KNOWN, volume, facts().nodes(id -> Optional.empty()));
        assertWaits(Reason.NODE_NOT_READY, volume, facts(Sample.node(N1, NodeStatus.DISCONNECTED, NOW)));
        assertWaits(Reason.PROVIDER_CONFLICT, volume, facts().providerConflict(N1::equals));
        assertThat(VolumePlan.of(volume, facts(replaced()).build()).waits())
                .extracting(RemainingWork.Wait::reason)
                .containsExactly(Reason.NODE_REPLACED, Reason.NODE_REPLACED);
    }

    @Test
    void nodeDoesNotExpandVolumeOfClaimThatHasToEnd() {
        Volume volume = expanding(TAKEN);
        assertSteps(volume, facts(Sample.node(N1, NodeStatus.FENCED, NOW)), Kind.CHECKPOINT_CLAIM);
        assertSteps(volume, facts().sweep(true).ended(claim -> true), Kind.CHECKPOINT_CLAIM);
        assertSteps(volume, facts().sweep(true).ended(claim -> false), Kind.NODE_EXPAND);
        assertSteps(volume, facts().ended(claim -> true), Kind.NODE_EXPAND);
    }

    @Test
    void nodeUnmountsWhileNoOtherCallRunsThere() {
        Volume volume = volume(List.of(Sample.claim("a", N1, ClaimState.UNPUBLISHING, false, false)));
        assertSteps(volume, facts(), Kind.NODE_DETACH);
        assertWaits(Reason.CALL_IN_FLIGHT, volume, facts().calls(CALL_TO_NODE));
        assertWaits(Reason.CALL_IN_FLIGHT, volume, facts().calls(CALL_FOR_NODE));
    }

    @Test
    void claimOfRunningAllocationEndsOnlyAsFencingPolicyAllows() {
        Node silent = Sample.node(N1, NodeStatus.DOWN, NOW.minus(GRACE));
        Attachment published = attachment(N1, AttachmentState.PUBLISHED);
        FencingPolicy grace = FencingPolicy.afterGrace(GRACE);
        Plan ended = VolumePlan.of(
                volume(grace, List.of(TAKEN), published), facts(silent).build());
        assertThat(ended.facts())
                .containsExactly(PlannedStep.checkpoint(
                        TAKEN.allocationId(), ClaimState.UNPUBLISHING, TransitionReason.GRACE_ENDED));
        assertThat(VolumePlan.of(volume(grace, List.of(TAKEN), published), facts().build())
                        .idle())
                .as("on a node that answers")
                .isTrue();
        assertThat(VolumePlan.of(
                                volume(WAIT, List.of(TAKEN), published),
                                facts(silent).build())
                        .idle())
                .as("of a volume that waits for the confirmation that the node is lost")
                .isTrue();
    }

    @Test
    void claimOfLostMachineIsReleased() {
        Volume volume = volume(List.of(TAKEN), attachment(N1, AttachmentState.PUBLISHING));
        Plan plan = VolumePlan.of(
                volume, facts(Sample.node(N1, NodeStatus.FENCED, NOW)).build());
        assertThat(plan.facts())
                .containsExactly(PlannedStep.checkpoint(
                        TAKEN.allocationId(), ClaimState.UNPUBLISHING, TransitionReason.NODE_LOST));
    }

    @Test
    void attachmentWithoutClaimIsRemovedBesideOtherWork() {
        Volume volume = volume(
                List.of(Sample.taken("b", N2)),
                attachment(N1, AttachmentState.PUBLISHED),
                attachment(N2, AttachmentState.PUBLISHING));
        assertSteps(volume, facts().maxControllerCalls(2), Kind.BEGIN_CONTROLLER_UNPUBLISH, Kind.CONTROLLER_PUBLISH);
    }
}
