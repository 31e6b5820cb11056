package io.csi4j.core.lifecycle;

import io.csi4j.core.command.AttachmentCommand;
import io.csi4j.core.command.ChangeCommand;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.Command;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.UnderWay.Side;
import io.csi4j.core.plan.CallsUnderWay;
import io.csi4j.core.plan.Plan;
import io.csi4j.core.plan.PlanAction;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Begins what one plan says: facts are written in one transaction, calls are sent on their way. */
final class LaneTurn implements PlanAction.Cases<Optional<Command>> {
    /** Stands for the node of calls that are about none. */
    private static final NodeId NO_NODE = NodeId.of("-");

    private final Lane lane;
    private final LaneCalls calls;
    private final StateReader state;
    private final Volume volume;
    private final VolumeKey key;
    private final Instant now;

    LaneTurn(Lane lane, StateReader state, Volume volume, CallsUnderWay underWay) {
        this.lane = lane;
        this.calls = lane.lanes().calls();
        this.state = state;
        this.volume = volume;
        this.key = volume.key();
        this.now = lane.lanes().operations().now();
    }

    void begin(Plan plan) {
        List<Command> facts = new ArrayList<>();
        for (PlanAction action : plan.actions()) {
            action.accept(this).ifPresent(facts::add);
        }
        if (!facts.isEmpty()) {
            lane.write(new LaneWrites.Facts(facts));
        }
    }

    /** Sends a call on its way; it counts as under way until what came of it is written. */
    private Optional<Command> call(Side side, NodeId nodeId, Supplier<CompletableFuture<?>> call) {
        UnderWay underWay = lane.lanes().underWay();
        if (!underWay.begin(key, side, nodeId)) {
            // Whoever began it has the volume looked at again.
            return Optional.empty();
        }
        CompletableFuture<?> begun;
        try {
            begun = call.get();
        } catch (RuntimeException e) {
            begun = CompletableFuture.failedFuture(e);
        }
        var unused = begun.whenComplete((done, failure) -> {
            underWay.end(key, side, nodeId);
            if (lane.lanes().term().over()) {
                lane.lanes().events().lateCallEnded(key);
                return;
            }
            lane.post(() -> {
                if (side == Side.VOLUME) {
                    lane.volumeCallEnded(failure);
                } else {
                    lane.callEnded(nodeId, failure == null ? null : Failures.of(failure));
                }
            });
        });
        return Optional.empty();
    }

    @Override
    public Optional<Command> createVolume(PlanAction.CreateVolume action) {
        return call(Side.VOLUME, NO_NODE, () -> calls.create(key));
    }

    @Override
    public Optional<Command> deleteVolume(PlanAction.DeleteVolume action) {
        return call(Side.VOLUME, NO_NODE, () -> calls.delete(key));
    }

    @Override
    public Optional<Command> expandVolume(PlanAction.ExpandVolume action) {
        return call(Side.VOLUME, NO_NODE, () -> calls.expand(key));
    }

    @Override
    public Optional<Command> skipControllerExpansion(PlanAction.SkipControllerExpansion action) {
        return volume.expansion().map(wish -> new ChangeCommand.RecordExpanded(key, wish.range(), 0, true, now));
    }

    @Override
    public Optional<Command> modifyVolume(PlanAction.ModifyVolume action) {
        return call(Side.VOLUME, NO_NODE, () -> calls.modify(key));
    }

    @Override
    public Optional<Command> nodeExpand(PlanAction.NodeExpand action) {
        Claim claim = volume.claims().get(action.allocationId()).orElseThrow();
        return call(Side.NODE, action.nodeId(), () -> calls.expandOnNode(key, claim));
    }

    private Attachment attachment(NodeId nodeId) {
        return volume.attachments().on(nodeId).orElseThrow();
    }

    @Override
    public Optional<Command> controllerPublish(PlanAction.ControllerPublish action) {
        Attachment attachment = attachment(action.nodeId());
        return call(Side.CONTROLLER, action.nodeId(), () -> calls.publish(key, attachment));
    }

    @Override
    public Optional<Command> nodeDetach(PlanAction.NodeDetach action) {
        Claim claim = volume.claims().get(action.allocationId()).orElseThrow();
        return call(Side.NODE, action.nodeId(), () -> calls.detach(volume, claim));
    }

    @Override
    public Optional<Command> beginControllerUnpublish(PlanAction.BeginControllerUnpublish action) {
        return Optional.of(new AttachmentCommand.RecordUnpublishing(key, action.nodeId(), now));
    }

    @Override
    public Optional<Command> controllerUnpublish(PlanAction.ControllerUnpublish action) {
        Attachment attachment = attachment(action.nodeId());
        return call(Side.CONTROLLER, action.nodeId(), () -> calls.unpublish(key, attachment));
    }

    @Override
    public Optional<Command> removeAttachment(PlanAction.RemoveAttachment action) {
        return Optional.of(new AttachmentCommand.RemoveAttachment(key, action.nodeId(), now));
    }

    @Override
    public Optional<Command> checkpointClaim(PlanAction.CheckpointClaim action) {
        return Optional.of(
                new ClaimCommand.CheckpointClaim(key, action.allocationId(), action.state(), Optional.empty(), now));
    }

    @Override
    public Optional<Command> freeClaim(PlanAction.FreeClaim action) {
        return Optional.of(new ClaimCommand.FreeClaim(key, action.allocationId(), now));
    }

    @Override
    public Optional<Command> requestFence(PlanAction.RequestFence action) {
        lane.lanes().fences().ask(state, action.nodeId(), lane.lanes().term());
        return Optional.empty();
    }
}
