package io.csi4j.core.internal.plan;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Modification;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.RemainingWork.Kind;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The planner: it returns the next steps for a volume. The plan depends only on the current state. So the same planner
 * serves new claims, releases, the recovery after a crash, and a change of leader.
 */
public final class VolumePlan {
    /** How long a volume that was made for a claim stays without one. */
    public static final Duration UNUSED = Duration.ofMinutes(10);

    private VolumePlan() {}

    /**
     * Returns the steps that are possible for a volume now, and the steps that have to wait. Works for every state,
     * even for a state that no command can create.
     *
     * @param volume the volume
     * @param facts the facts about the volume's plugin, nodes and allocations, from the same state
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

    /** Returns the nodes where the volume has a claim or an attachment, in the order of their ids. */
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
        if (volume.isLost()) {
            draft.await(RemainingWork.Reason.VOLUME_LOST, null, null);
            return;
        }
        if (volume.phase() == VolumePhase.AVAILABLE) {
            if (volume.toBeVerified()
                    && call(
                            Kind.VERIFY_VOLUME,
                            Rpc.VALIDATE_VOLUME_CAPABILITIES,
                            volume.verification().orElseThrow().retry(),
                            facts,
                            draft)) {
                return;
            }
            changes(volume, facts, draft);
            if (volume.isUnused() && !volume.inUse()) {
                unused(facts, draft);
            }
            return;
        }
        if (volume.phase() == VolumePhase.DELETING && volume.inUse()) {
            draft.await(RemainingWork.Reason.IN_USE, null, null);
            return;
        }
        if (volume.phase() == VolumePhase.DELETING && facts.isSource()) {
            draft.await(RemainingWork.Reason.SOURCE_IN_USE, null, null);
            return;
        }
        // Without its id, a use that a node reports cannot become a claim, so the id is asked for before.
        if (volume.phase() == VolumePhase.DELETING
                && volume.externalVolumeId().isPresent()
                && facts.ledgersUnsettled()) {
            draft.await(RemainingWork.Reason.LEDGER_NOT_KNOWN, null, null);
            return;
        }
        if (volume.phase() == VolumePhase.CREATING && facts.notVerified()) {
            draft.await(RemainingWork.Reason.CREATION_NOT_REQUESTED, null, null);
            return;
        }
        boolean unused = call(
                volume.phase() == VolumePhase.CREATING ? Kind.CREATE_VOLUME : Kind.DELETE_VOLUME,
                volume.phase() == VolumePhase.CREATING ? Rpc.CREATE_VOLUME : Rpc.DELETE_VOLUME,
                volume.retry(),
                facts,
                draft);
    }

    /** Plans the end of a volume that was made for a claim, if no claim takes it. */
    private static void unused(PlanFacts facts, PlanDraft draft) {
        Duration left = UNUSED.minus(facts.unusedFor());
        if (facts.calls().volume()) {
            draft.await(RemainingWork.Reason.CALL_IN_FLIGHT, null, null);
        } else if (left.isNegative() || left.isZero()) {
            draft.write(PlannedStep.of(Kind.DISCARD_UNUSED));
        } else {
            draft.await(RemainingWork.Reason.UNUSED, null, null, left);
        }
    }

    /**
     * Plans a call about the volume itself. During such a call, no other controller call for the volume may run (R26).
     * Returns whether the call can be made now.
     */
    private static boolean call(Kind call, Rpc rpc, Retry retry, PlanFacts facts, PlanDraft draft) {
        boolean idle = !facts.calls().volume() && facts.calls().controller().isEmpty();
        if (!idle) {
            draft.await(RemainingWork.Reason.CALL_IN_FLIGHT, null, null);
        } else if (!facts.controllerAvailable(rpc)) {
            draft.await(RemainingWork.Reason.NO_HEALTHY_CONTROLLER, null, null);
        } else if (draft.due(retry, null, null)) {
            draft.takeAllCapacity();
            draft.publish(PlannedStep.of(call));
            return true;
        }
        return false;
    }

    /**
     * Plans the requested changes of a volume, one at a time. An expansion comes first, because the volume may be
     * nearly full.
     */
    private static void changes(Volume volume, PlanFacts facts, PlanDraft draft) {
        if (volume.toBeExpanded() && expansion(volume, volume.expansion().orElseThrow(), facts, draft)) {
            return;
        }
        Optional<Modification> changing = volume.modification()
                .filter(modification -> !modification.retry().refused());
        if (changing.isPresent()) {
            boolean unused = call(
                    Kind.MODIFY_VOLUME,
                    Rpc.CONTROLLER_MODIFY_VOLUME,
                    changing.get().retry(),
                    facts,
                    draft);
        }
    }

    /** Plans the controller's part of an expansion. Returns whether this method has added a call to the plan. */
    private static boolean expansion(Volume volume, Expansion expansion, PlanFacts facts, PlanDraft draft) {
        ControllerNeed need = facts.expansionNeed();
        if (need == ControllerNeed.UNKNOWN) {
            draft.await(RemainingWork.Reason.PLUGIN_NOT_KNOWN, null, null);
        } else if (need == ControllerNeed.NOT_REQUIRED) {
            // No call is needed, because only nodes expand volumes of this plugin.
            draft.write(PlannedStep.of(Kind.SKIP_CONTROLLER_EXPANSION));
        } else if (facts.expandsOfflineOnly() && volume.inUse()) {
            draft.await(RemainingWork.Reason.IN_USE, null, null);
        } else if (facts.expandsOfflineOnly() && facts.ledgersUnsettled()) {
            draft.await(RemainingWork.Reason.LEDGER_NOT_KNOWN, null, null);
        } else {
            return call(Kind.EXPAND_VOLUME, Rpc.CONTROLLER_EXPAND_VOLUME, expansion.retry(), facts, draft);
        }
        return false;
    }
}
