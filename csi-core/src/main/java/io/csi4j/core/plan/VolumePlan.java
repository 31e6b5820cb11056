package io.csi4j.core.plan;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
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
        if (!volume.unsettled() && !facts.sweep()) {
            return Plan.nothing();
        }
        PlanDraft draft = new PlanDraft(facts);
        phase(volume, facts, draft);
        TreeSet<NodeId> nodeIds = new TreeSet<>(volume.claims().nodeIds());
        for (Attachment attachment : volume.attachments()) {
            nodeIds.add(attachment.nodeId());
        }
        for (NodeId nodeId : nodeIds) {
            new NodePlan(volume, facts, nodeId, draft).draw();
        }
        return draft.plan();
    }

    private static void phase(Volume volume, PlanFacts facts, PlanDraft draft) {
        if (volume.phase() == VolumePhase.AVAILABLE) {
            return;
        }
        if (volume.phase() == VolumePhase.DELETING && volume.inUse()) {
            draft.await(PlanWait.Reason.IN_USE, null, null);
            return;
        }
        boolean idle = !facts.calls().volume() && facts.calls().controller().isEmpty();
        if (!idle) {
            draft.await(PlanWait.Reason.CALL_UNDER_WAY, null, null);
        } else if (!facts.controllerAvailable()) {
            draft.await(PlanWait.Reason.NO_HEALTHY_CONTROLLER, null, null);
        } else if (draft.due(facts.volumeRetry(), null, null)) {
            draft.takeAllRoom();
            draft.publish(
                    volume.phase() == VolumePhase.CREATING
                            ? new PlanAction.CreateVolume()
                            : new PlanAction.DeleteVolume());
        }
    }
}
