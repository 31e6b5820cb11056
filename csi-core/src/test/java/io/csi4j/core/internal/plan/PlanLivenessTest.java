package io.csi4j.core.internal.plan;

import static io.csi4j.core.internal.plan.Sample.KEY;
import static io.csi4j.core.internal.plan.Sample.N1;
import static io.csi4j.core.internal.plan.Sample.N2;
import static io.csi4j.core.internal.plan.Sample.NOW;
import static io.csi4j.core.internal.plan.Sample.PLUGIN;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.apply.NaiveState;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Verification;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/**
 * From every state the planner's answers, done one after another on the real rules of the state, lead to a
 * settled one, and once the allocations have ended to one without claims and attachments (I7).
 */
class PlanLivenessTest {
    private static final NodeId CONTROLLER = NodeId.of("controller");
    private static final int MAX_STEPS = 20;

    private int longest;
    private long runs;

    @Test
    void plannedStepsFinishAllWorkFromEveryStateOnOneNode() {
        for (NodeStatus status : NodeStatus.values()) {
            for (Optional<Claim> a : Sample.claims("a", N1, true)) {
                for (Optional<Claim> b : a.isEmpty() ? List.of(a) : Sample.claims("b", N1, true)) {
                    for (Optional<Attachment> attachment : Sample.attachments(N1, true)) {
                        run(VolumePhase.AVAILABLE, status, List.of(a, b), List.of(attachment));
                    }
                }
            }
        }
        assertThat(runs).isGreaterThan(5_000);
        assertThat(longest).isGreaterThan(5);
    }

    @Test
    void plannedStepsCompleteCreationAndDeletion() {
        for (VolumePhase phase : VolumePhase.values()) {
            for (Optional<Claim> a : Sample.claims("a", N1, false)) {
                for (Optional<Attachment> attachment : Sample.attachments(N1, true)) {
                    run(phase, NodeStatus.READY, List.of(a), List.of(attachment));
                }
            }
        }
    }

    @Test
    void plannedStepsFinishAllWorkFromEveryStateOnTwoNodes() {
        for (Optional<Claim> a : Sample.claims("a", N1, false)) {
            for (Optional<Claim> b : Sample.claims("b", N2, false)) {
                for (Optional<Attachment> first : Sample.attachments(N1, false)) {
                    for (Optional<Attachment> second : Sample.attachments(N2, false)) {
                        run(VolumePhase.AVAILABLE, NodeStatus.READY, List.of(a, b), List.of(first, second));
                    }
                }
            }
        }
    }

    @Test
    void everyRequestedExpansionOrModificationIsFulfilledOrRefused() {
        List<Optional<Claim>> claims = List.of(Optional.of(Sample.taken("a", N1)), Optional.of(Sample.taken("b", N2)));
        for (Optional<Expansion> growing : Sample.expansions()) {
            for (Optional<Modification> changing : Sample.modifications()) {
                NaiveState state = state(
                        Sample.volume(VolumePhase.AVAILABLE, FencingPolicy.onFence(), claims, List.of()).toBuilder()
                                .expansion(growing.orElse(null))
                                .modification(changing.orElse(null))
                                .build(),
                        NodeStatus.READY);
                assertThat(steps(state)).isFalse();
                Volume end = state.volume(KEY).orElseThrow();
                assertThat(end.unsettled()).isFalse();
                assertThat(end.modification())
                        .as("a modification remains only if it was refused")
                        .isEqualTo(changing.filter(request -> request.retry().refused()));
                boolean refused = growing.stream()
                        .anyMatch(request -> request.retry().refused()
                                || request.nodes().values().stream()
                                        .anyMatch(step -> step.retry().refused()));
                assertThat(end.expansion().isPresent()).isEqualTo(refused);
            }
        }
    }

    @Test
    void plannedStepsVerifyVolumeBeforeItsChanges() {
        for (Optional<Expansion> growing : Sample.expansions()) {
            NaiveState state = state(
                    Sample.volume(VolumePhase.AVAILABLE, FencingPolicy.onFence(), List.of(), List.of()).toBuilder()
                            .expansion(growing.orElse(null))
                            .verification(Verification.asked(2))
                            .build(),
                    NodeStatus.READY);
            assertThat(steps(state)).isFalse();
            assertThat(state.volume(KEY).orElseThrow().verification()).contains(Verification.confirmed(2, NOW));
        }
    }

    private void run(
            VolumePhase phase, NodeStatus status, List<Optional<Claim>> claims, List<Optional<Attachment>> attached) {
        Volume volume = Sample.volume(phase, FencingPolicy.afterGrace(Sample.GRACE), claims, attached);
        boolean idMissing = attached.stream()
                .flatMap(Optional::stream)
                .anyMatch(a ->
                        a.externalNodeId().isEmpty() && a.operatorOverride().isEmpty());
        // Records that only an operator can help with: no id for the call; an override that was never begun.
        boolean stuck = idMissing
                || attached.stream()
                        .flatMap(Optional::stream)
                        .anyMatch(a -> a.externalNodeId().isEmpty() && a.state() != AttachmentState.UNPUBLISHING);
        if (stuck) {
            return;
        }
        runs++;
        NaiveState state = state(volume, status);
        boolean leavingUnderClaim = steps(state);
        Optional<Volume> settled = state.volume(KEY);
        if (settled.isPresent() && !leavingUnderClaim) {
            assertThat(settled.get().unsettled())
                    .as("no work remains for %s, which began as %s", settled.get(), volume)
                    .isFalse();
        }
        for (Allocation allocation : List.copyOf((List<Allocation>) state.allocations())) {
            state.apply(new AllocationCommand.RemoveAllocation(allocation.id(), NOW));
        }
        steps(state);
        state.volume(KEY)
                .ifPresent(end -> assertThat(end.inUse())
                        .as(
                                "the volume is unused: %s %s, which began as %s",
                                end, end.claims().holders(), volume)
                        .isFalse());
    }

    private static NaiveState state(Volume volume, NodeStatus status) {
        NaiveState state = new NaiveState();
        state.putNode(Sample.node(CONTROLLER, NodeStatus.READY, NOW));
        state.putNode(Sample.node(N1, status, NOW));
        state.putNode(Sample.node(N2, status, NOW));
        state.putInstance(PluginInstance.builder(
                        new InstanceKey(CONTROLLER, PLUGIN, PluginType.CONTROLLER, Optional.empty()), NOW)
                .build());
        Capabilities publishing = Capabilities.unknown()
                .withServices(PluginService.CONTROLLER_SERVICE)
                .withController(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME);
        state.putFacts(new PluginFacts(PLUGIN, Optional.empty(), Optional.empty(), publishing, Optional.empty()));
        for (Claim claim : volume.claims()) {
            state.putAllocation(new Allocation(
                    claim.allocationId(),
                    Namespace.of("default"),
                    claim.nodeId(),
                    Optional.empty(),
                    AllocationStatus.RUNNING,
                    1));
        }
        state.putVolume(volume);
        return state;
    }

    /** Performs until nothing can be done any more; answers whether a claim waits for a detachment under it. */
    private boolean steps(NaiveState state) {
        Instant now = NOW;
        for (int step = 0; step < MAX_STEPS; step++) {
            longest = Math.max(longest, step);
            Optional<Volume> volume = state.volume(KEY);
            if (volume.isEmpty()) {
                return false;
            }
            Plan plan = VolumePlan.of(
                    volume.get(),
                    PlanFacts.from(state, ControllerTrust.everyNode(), volume.get(), now)
                            .inStatus(Sample.since(now))
                            .sweep(true)
                            .build());
            if (plan.actions().isEmpty()) {
                if (plan.wakeAt().isEmpty()) {
                    return waitsForItsClaims(plan, volume.get());
                }
                now = plan.wakeAt().get();
            }
            Performer performer = new Performer(volume.get());
            plan.actions().forEach(action -> apply(state, action, performer.perform(action)));
        }
        throw new AssertionError("the work is not finished after " + MAX_STEPS + " steps: " + state.volume(KEY));
    }

    private static void apply(NaiveState state, PlannedStep action, Command command) {
        Optional<Volume> volume = state.volume(KEY);
        Outcome outcome = state.apply(command);
        assertThat(outcome.accepted())
                .as("%s of %s: %s", action, volume, outcome)
                .isTrue();
    }

    private static boolean waitsForItsClaims(Plan plan, Volume volume) {
        if (plan.idle()) {
            return false;
        }
        assertThat(plan.waits())
                .as("%s of %s", plan, volume.claims().holders())
                .allMatch(wait -> wait.reason() == RemainingWork.Reason.CLAIMS_ON_NODE
                        || wait.reason() == RemainingWork.Reason.NODE_NOT_READY
                        || wait.reason() == RemainingWork.Reason.IN_USE
                        || wait.reason() == RemainingWork.Reason.DETACHING);
        assertThat(volume.claims().count(ClaimState.TAKEN)).isPositive();
        return true;
    }

    /** What whoever performs an action writes down in the end, everything being reachable. */
    private record Performer(Volume volume) {
        private Command perform(PlannedStep step) {
            return switch (step.kind()) {
                case CREATE_VOLUME -> createVolume();
                case DELETE_VOLUME -> deleteVolume();
                case VERIFY_VOLUME ->
                    new VolumeCommand.RecordVerified(
                            KEY,
                            volume.createIndex(),
                            volume.verification().orElseThrow().restoredIndex(),
                            NOW);
                case EXPAND_VOLUME -> expandVolume();
                case MODIFY_VOLUME -> modifyVolume();
                case NODE_EXPAND -> nodeExpand(step);
                case CONTROLLER_PUBLISH -> controllerPublish(step);
                case NODE_DETACH -> nodeDetach(step);
                case CONTROLLER_UNPUBLISH -> controllerUnpublish(step);
                case REQUEST_FENCE -> requestFence(step);
                case SKIP_CONTROLLER_EXPANSION -> skipControllerExpansion();
                case BEGIN_CONTROLLER_UNPUBLISH -> beginControllerUnpublish(step);
                case REMOVE_ATTACHMENT -> removeAttachment(step);
                case CHECKPOINT_CLAIM -> checkpointClaim(step);
                case FREE_CLAIM -> freeClaim(step);
                case DISCARD_UNUSED ->
                    new VolumeCommand.DiscardUnused(KEY, volume.createIndex(), Optional.empty(), NOW);
            };
        }

        private Command createVolume() {
            return new VolumeCommand.RecordProviderFacts(
                    KEY,
                    ProviderFacts.builder()
                            .externalVolumeId(ExternalVolumeId.of("e"))
                            .build(),
                    NOW);
        }

        private Command deleteVolume() {
            return new VolumeCommand.DeregisterVolume(KEY, false, NOW);
        }

        private Command expandVolume() {
            return new ChangeCommand.RecordExpanded(
                    KEY, volume.createIndex(), volume.expansion().orElseThrow().range(), 200, true, NOW);
        }

        private Command skipControllerExpansion() {
            return new ChangeCommand.RecordExpanded(
                    KEY, volume.createIndex(), volume.expansion().orElseThrow().range(), 0, true, NOW);
        }

        private Command modifyVolume() {
            return new ChangeCommand.RecordModified(
                    KEY,
                    volume.createIndex(),
                    volume.modification().orElseThrow().index(),
                    volume.modification().orElseThrow().changes(),
                    NOW);
        }

        private Command nodeExpand(PlannedStep action) {
            return new ChangeCommand.RecordNodeExpansion(
                    KEY,
                    action.allocationId(),
                    volume.claims().get(action.allocationId()).orElseThrow().createIndex(),
                    volume.expansion().orElseThrow().range(),
                    200,
                    NOW);
        }

        private Command controllerPublish(PlannedStep action) {
            return new AttachmentCommand.RecordPublished(KEY, action.nodeId(), PublishContext.empty(), NOW);
        }

        private Command nodeDetach(PlannedStep action) {
            return new ClaimCommand.CheckpointClaim(KEY, action.allocationId(), ClaimState.NODE_DETACHED, NOW);
        }

        private Command beginControllerUnpublish(PlannedStep action) {
            return new AttachmentCommand.RecordUnpublishing(KEY, action.nodeId(), NOW);
        }

        private Command controllerUnpublish(PlannedStep action) {
            return new AttachmentCommand.RemoveAttachment(KEY, action.nodeId(), NOW);
        }

        private Command removeAttachment(PlannedStep action) {
            return new AttachmentCommand.RemoveAttachment(KEY, action.nodeId(), NOW);
        }

        private Command checkpointClaim(PlannedStep action) {
            return new ClaimCommand.CheckpointClaim(KEY, action.allocationId(), action.state(), NOW);
        }

        private Command freeClaim(PlannedStep action) {
            return new ClaimCommand.FreeClaim(KEY, action.allocationId(), NOW);
        }

        private Command requestFence(PlannedStep action) {
            return new NodeCommand.FenceNode(action.nodeId(), "", NOW);
        }
    }
}
