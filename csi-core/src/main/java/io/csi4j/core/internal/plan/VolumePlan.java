package io.csi4j.core.internal.plan;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The one planner: what is to be done for a volume now. It looks at what is, never at what happened, so
 * that new claims, releases, recovery after a crash and a change of leader take the same way.
 */
public final class VolumePlan {
    private VolumePlan() {}

    /**
     * All that can be done for a volume now. Total over all states.
     *
     * @param volume the volume
     * @param facts what else is known, of the same state
     * @return the actions, with what has to wait
     */
    public static Plan of(Volume volume, PlanFacts facts) {
        if (!volume.unsettled() && !facts.sweep() && !NodePlan.mayEndWithTheirNodes(volume, facts)) {
            return Plan.nothing();
        }
        PlanDraft draft = new PlanDraft(facts);
        phase(volume, facts, draft);
        for (NodeId nodeId : nodeIds(volume)) {
            new NodePlan(volume, facts, nodeId, draft).draw();
        }
        return draft.plan();
    }

    /** In order. */
    private static Collection<NodeId> nodeIds(Volume volume) {
        List<NodeId> claimed = volume.claims().nodeIds();
        boolean attachedElsewhere = false;
        for (Attachment attachment : volume.attachments()) {
            attachedElsewhere |= !claimed.contains(attachment.nodeId());
        }
        if (!attachedElsewhere) {
            return claimed;
        }
        TreeSet<NodeId> nodeIds = new TreeSet<>(claimed);
        for (Attachment attachment : volume.attachments()) {
            nodeIds.add(attachment.nodeId());
        }
        return nodeIds;
    }

    private static void phase(Volume volume, PlanFacts facts, PlanDraft draft) {
        if (volume.phase() == VolumePhase.AVAILABLE) {
            changes(volume, facts, draft);
            return;
        }
        if (volume.phase() == VolumePhase.DELETING && volume.inUse()) {
            draft.await(RemainingWork.Reason.IN_USE, null, null);
            return;
        }
        boolean unused = call(
                volume.phase() == VolumePhase.CREATING
                        ? new PlannedCall.CreateVolume()
                        : new PlannedCall.DeleteVolume(),
                volume.retry(),
                facts,
                draft);
    }

    /** A call about the volume itself has it to itself (R26). Answers whether it can be made. */
    private static boolean call(PlannedCall call, Retry retry, PlanFacts facts, PlanDraft draft) {
        boolean idle = !facts.calls().volume() && facts.calls().controller().isEmpty();
        if (!idle) {
            draft.await(RemainingWork.Reason.CALL_IN_FLIGHT, null, null);
        } else if (!facts.controllerAvailable()) {
            draft.await(RemainingWork.Reason.NO_HEALTHY_CONTROLLER, null, null);
        } else if (draft.due(retry, null, null)) {
            draft.takeAllRoom();
            draft.publish(call);
            return true;
        }
        return false;
    }

    /** One at a time; an expansion first, because somebody may be running out of room. */
    private static void changes(Volume volume, PlanFacts facts, PlanDraft draft) {
        Optional<Expansion> growing = volume.expansion()
                .filter(wish -> wish.stage() == Expansion.Stage.CONTROLLER)
                .filter(wish -> !wish.retry().refused());
        if (growing.isPresent() && expansion(volume, growing.get(), facts, draft)) {
            return;
        }
        Optional<Modification> changing =
                volume.modification().filter(wish -> !wish.retry().refused());
        if (changing.isPresent()) {
            boolean unused = call(new PlannedCall.ModifyVolume(), changing.get().retry(), facts, draft);
        }
    }

    /** Answers whether it is what the next call is for. */
    private static boolean expansion(Volume volume, Expansion wish, PlanFacts facts, PlanDraft draft) {
        if (facts.expansionNeed() == ControllerNeed.UNKNOWN) {
            draft.await(RemainingWork.Reason.PLUGIN_NOT_KNOWN, null, null);
        } else if (facts.expansionNeed() == ControllerNeed.NOT_REQUIRED) {
            // No call is made for it: what has to be done is the nodes'.
            draft.write(new PlannedTransition.SkipControllerExpansion());
        } else if (facts.expandsOfflineOnly() && volume.inUse()) {
            draft.await(RemainingWork.Reason.IN_USE, null, null);
        } else {
            return call(new PlannedCall.ExpandVolume(), wish.retry(), facts, draft);
        }
        return false;
    }
}
