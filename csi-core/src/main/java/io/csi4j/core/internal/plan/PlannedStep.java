package io.csi4j.core.internal.plan;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.RemainingWork.Kind;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One step for a volume: a call, or a transition to record that needs no call.
 *
 * @param kind the kind
 * @param node the node of the step; null if the step is about the volume itself or a claim
 * @param allocation the claim's allocation; null if the step is about the attachment, or about the volume itself
 * @param next the new state of the claim; null for other steps than {@link Kind#CHECKPOINT_CLAIM}
 * @param why the reason why no call is needed; null for calls
 */
public record PlannedStep(
        Kind kind,
        @Nullable NodeId node,
        @Nullable AllocationId allocation,
        @Nullable ClaimState next,
        @Nullable TransitionReason why) {
    /** Returns a step about the volume itself. */
    public static PlannedStep of(Kind kind) {
        return new PlannedStep(kind, null, null, null, null);
    }

    /** Returns a step about the attachment of the volume to a node, or about the node. */
    public static PlannedStep onNode(Kind kind, NodeId nodeId) {
        return new PlannedStep(kind, nodeId, null, null, null);
    }

    /** Returns a step about a claim on a node. */
    public static PlannedStep ofClaim(Kind kind, AllocationId allocationId, NodeId nodeId) {
        return new PlannedStep(kind, nodeId, allocationId, null, null);
    }

    /** Records that the volume is detached from a node. */
    public static PlannedStep removeAttachment(NodeId nodeId, TransitionReason reason) {
        return new PlannedStep(Kind.REMOVE_ATTACHMENT, nodeId, null, null, reason);
    }

    /** Records the next state of a claim, with which its release begins or continues. */
    public static PlannedStep checkpoint(AllocationId allocationId, ClaimState state, TransitionReason reason) {
        return new PlannedStep(Kind.CHECKPOINT_CLAIM, null, allocationId, state, reason);
    }

    /** Removes a claim whose release is complete. */
    public static PlannedStep freeClaim(AllocationId allocationId) {
        return new PlannedStep(Kind.FREE_CLAIM, null, allocationId, null, null);
    }

    /** Returns the node of a step that has one. */
    public NodeId nodeId() {
        return Objects.requireNonNull(node);
    }

    /** Returns the claim's allocation of a step that has one. */
    public AllocationId allocationId() {
        return Objects.requireNonNull(allocation);
    }

    /** Returns the new state of a claim. */
    public ClaimState state() {
        return Objects.requireNonNull(next);
    }

    /** Returns the reason why no call is needed. */
    public TransitionReason reason() {
        return Objects.requireNonNull(why);
    }

    /** Returns the step for operators. */
    public RemainingWork.Step toStep() {
        return new RemainingWork.Step(kind, Optional.ofNullable(node), Optional.ofNullable(allocation));
    }
}
