package io.csi4j.core.lifecycle;

import io.csi4j.core.command.AttachmentCommand;
import io.csi4j.core.command.ChangeCommand;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.Command;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plan.PlanAction;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.time.Instant;
import java.util.Optional;

/** The command that writes a planned fact down; empty for what is a call. */
class FactCommands implements PlanAction.Cases<Optional<Command>> {
    private final Volume volume;
    private final VolumeKey key;
    private final Instant now;

    FactCommands(Volume volume, Instant now) {
        this.volume = volume;
        this.key = volume.key();
        this.now = now;
    }

    private Claim claim(AllocationId allocationId) {
        return volume.claims().get(allocationId).orElseThrow();
    }

    private long intent(NodeId nodeId) {
        return volume.attachments().on(nodeId).orElseThrow().createIndex();
    }

    @Override
    public Optional<Command> createVolume(PlanAction.CreateVolume action) {
        return Optional.empty();
    }

    @Override
    public Optional<Command> deleteVolume(PlanAction.DeleteVolume action) {
        return Optional.empty();
    }

    @Override
    public Optional<Command> expandVolume(PlanAction.ExpandVolume action) {
        return Optional.empty();
    }

    @Override
    public Optional<Command> modifyVolume(PlanAction.ModifyVolume action) {
        return Optional.empty();
    }

    @Override
    public Optional<Command> nodeExpand(PlanAction.NodeExpand action) {
        return Optional.empty();
    }

    @Override
    public Optional<Command> skipControllerExpansion(PlanAction.SkipControllerExpansion action) {
        return volume.expansion()
                .map(wish -> new ChangeCommand.RecordExpanded(key, volume.createIndex(), wish.range(), 0, true, now));
    }

    @Override
    public Optional<Command> controllerPublish(PlanAction.ControllerPublish action) {
        return Optional.empty();
    }

    @Override
    public Optional<Command> nodeDetach(PlanAction.NodeDetach action) {
        return Optional.empty();
    }

    @Override
    public Optional<Command> controllerUnpublish(PlanAction.ControllerUnpublish action) {
        return Optional.empty();
    }

    @Override
    public Optional<Command> requestFence(PlanAction.RequestFence action) {
        return Optional.empty();
    }

    @Override
    public Optional<Command> beginControllerUnpublish(PlanAction.BeginControllerUnpublish action) {
        return Optional.of(
                new AttachmentCommand.RecordUnpublishing(key, action.nodeId(), intent(action.nodeId()), now));
    }

    @Override
    public Optional<Command> removeAttachment(PlanAction.RemoveAttachment action) {
        return Optional.of(new AttachmentCommand.RemoveAttachment(key, action.nodeId(), intent(action.nodeId()), now));
    }

    @Override
    public Optional<Command> checkpointClaim(PlanAction.CheckpointClaim action) {
        Claim claim = claim(action.allocationId());
        return Optional.of(new ClaimCommand.CheckpointClaim(
                key, claim.allocationId(), claim.takenIndex(), action.state(), Optional.empty(), now));
    }

    @Override
    public Optional<Command> freeClaim(PlanAction.FreeClaim action) {
        Claim claim = claim(action.allocationId());
        return Optional.of(new ClaimCommand.FreeClaim(key, claim.allocationId(), claim.createIndex(), now));
    }
}
