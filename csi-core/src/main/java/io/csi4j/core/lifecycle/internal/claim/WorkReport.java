package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.plan.Plan;
import io.csi4j.core.internal.plan.PlannedCall;
import io.csi4j.core.internal.plan.PlannedTransition;
import io.csi4j.core.volume.RemainingWork.Kind;
import io.csi4j.core.volume.RemainingWork.Step;
import io.csi4j.core.volume.RemainingWork;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Converts a volume's plan into a list for operators: the remaining steps, and the waits with their reasons. */
final class WorkReport implements PlannedCall.Cases<Step>, PlannedTransition.Cases<Step> {
    private WorkReport() {}

    static RemainingWork of(Plan plan) {
        WorkReport report = new WorkReport();
        List<Step> steps = Stream.concat(
                        plan.facts().stream().map(transition -> transition.accept(report)),
                        plan.calls().stream().map(call -> call.accept(report)))
                .toList();
        return new RemainingWork(steps, plan.waits(), plan.wakeAt());
    }

    private static Step volume(Kind kind) {
        return new Step(kind, Optional.empty(), Optional.empty());
    }

    private static Step node(Kind kind, NodeId nodeId) {
        return new Step(kind, Optional.of(nodeId), Optional.empty());
    }

    private static Step claim(Kind kind, AllocationId allocationId) {
        return new Step(kind, Optional.empty(), Optional.of(allocationId));
    }

    @Override
    public Step createVolume(PlannedCall.CreateVolume call) {
        return volume(Kind.CREATE_VOLUME);
    }

    @Override
    public Step deleteVolume(PlannedCall.DeleteVolume call) {
        return volume(Kind.DELETE_VOLUME);
    }

    @Override
    public Step expandVolume(PlannedCall.ExpandVolume call) {
        return volume(Kind.EXPAND_VOLUME);
    }

    @Override
    public Step modifyVolume(PlannedCall.ModifyVolume call) {
        return volume(Kind.MODIFY_VOLUME);
    }

    @Override
    public Step nodeExpand(PlannedCall.NodeExpand call) {
        return new Step(Kind.NODE_EXPAND, Optional.of(call.nodeId()), Optional.of(call.allocationId()));
    }

    @Override
    public Step controllerPublish(PlannedCall.ControllerPublish call) {
        return node(Kind.CONTROLLER_PUBLISH, call.nodeId());
    }

    @Override
    public Step nodeDetach(PlannedCall.NodeDetach call) {
        return new Step(Kind.NODE_DETACH, Optional.of(call.nodeId()), Optional.of(call.allocationId()));
    }

    @Override
    public Step controllerUnpublish(PlannedCall.ControllerUnpublish call) {
        return node(Kind.CONTROLLER_UNPUBLISH, call.nodeId());
    }

    @Override
    public Step requestFence(PlannedCall.RequestFence call) {
        return node(Kind.REQUEST_FENCE, call.nodeId());
    }

    @Override
    public Step skipControllerExpansion(PlannedTransition.SkipControllerExpansion transition) {
        return volume(Kind.SKIP_CONTROLLER_EXPANSION);
    }

    @Override
    public Step beginControllerUnpublish(PlannedTransition.BeginControllerUnpublish transition) {
        return node(Kind.BEGIN_CONTROLLER_UNPUBLISH, transition.nodeId());
    }

    @Override
    public Step removeAttachment(PlannedTransition.RemoveAttachment transition) {
        return node(Kind.REMOVE_ATTACHMENT, transition.nodeId());
    }

    @Override
    public Step checkpointClaim(PlannedTransition.CheckpointClaim transition) {
        return claim(Kind.CHECKPOINT_CLAIM, transition.allocationId());
    }

    @Override
    public Step freeClaim(PlannedTransition.FreeClaim transition) {
        return claim(Kind.FREE_CLAIM, transition.allocationId());
    }
}
