package io.csi4j.core.lifecycle;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.UnderWay.Side;
import io.csi4j.core.plan.Plan;
import io.csi4j.core.plan.PlanAction;
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
final class LaneTurn extends FactCommands {
    /** Stands for the node of calls that are about none. */
    private static final NodeId NO_NODE = NodeId.of("-");

    private final LaneWork work;
    private final Lanes lanes;
    private final LaneCalls calls;
    private final Look look;
    private final Volume volume;

    LaneTurn(LaneWork work, Look look, Volume volume, Instant now) {
        super(volume, now);
        this.work = work;
        this.lanes = work.lane().lanes();
        this.calls = lanes.calls();
        this.look = look;
        this.volume = volume;
    }

    void begin(Plan plan) {
        List<Command> facts = new ArrayList<>(2);
        for (PlanAction action : plan.actions()) {
            action.accept(this).ifPresent(facts::add);
        }
        if (!facts.isEmpty()) {
            work.write(look, volume, facts);
        }
    }

    /** Sends a call on its way; it counts as under way until what came of it is written. */
    private Optional<Command> call(Side side, NodeId nodeId, Supplier<CompletableFuture<?>> call) {
        // Only these: the end of a call may be long in coming, and the turn holds on to the state it looked at.
        VolumeKey key = look.key();
        LaneWork after = work;
        Lanes those = lanes;
        UnderWay underWay = those.underWay();
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
            if (those.term().over()) {
                those.events().lateCallEnded(key);
                return;
            }
            after.lane().post(() -> {
                if (side == Side.VOLUME) {
                    after.volumeCallEnded(failure);
                } else {
                    after.callEnded(nodeId, failure == null ? null : Failures.of(failure));
                }
            });
        });
        return Optional.empty();
    }

    @Override
    public Optional<Command> createVolume(PlanAction.CreateVolume action) {
        return call(Side.VOLUME, NO_NODE, () -> calls.create(look.key()));
    }

    @Override
    public Optional<Command> deleteVolume(PlanAction.DeleteVolume action) {
        return call(Side.VOLUME, NO_NODE, () -> calls.delete(look.key()));
    }

    @Override
    public Optional<Command> expandVolume(PlanAction.ExpandVolume action) {
        return call(Side.VOLUME, NO_NODE, () -> calls.expand(look.key()));
    }

    @Override
    public Optional<Command> modifyVolume(PlanAction.ModifyVolume action) {
        return call(Side.VOLUME, NO_NODE, () -> calls.modify(look.key()));
    }

    @Override
    public Optional<Command> nodeExpand(PlanAction.NodeExpand action) {
        Claim claim = volume.claims().get(action.allocationId()).orElseThrow();
        return call(Side.NODE, action.nodeId(), () -> calls.expandOnNode(look.key(), claim));
    }

    private Attachment attachment(NodeId nodeId) {
        return volume.attachments().on(nodeId).orElseThrow();
    }

    @Override
    public Optional<Command> controllerPublish(PlanAction.ControllerPublish action) {
        Attachment attachment = attachment(action.nodeId());
        return call(Side.CONTROLLER, action.nodeId(), () -> calls.publish(Seen.in(look), attachment));
    }

    @Override
    public Optional<Command> nodeDetach(PlanAction.NodeDetach action) {
        Claim claim = volume.claims().get(action.allocationId()).orElseThrow();
        return call(Side.NODE, action.nodeId(), () -> calls.detach(Seen.in(look), claim));
    }

    @Override
    public Optional<Command> controllerUnpublish(PlanAction.ControllerUnpublish action) {
        Attachment attachment = attachment(action.nodeId());
        return call(Side.CONTROLLER, action.nodeId(), () -> calls.unpublish(Seen.in(look), attachment));
    }

    @Override
    public Optional<Command> requestFence(PlanAction.RequestFence action) {
        lanes.fences().ask(look.state(), action.nodeId(), lanes.term());
        return Optional.empty();
    }
}
