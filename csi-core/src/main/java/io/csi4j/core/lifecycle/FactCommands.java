package io.csi4j.core.lifecycle;

import io.csi4j.core.command.AttachmentCommand;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.Command;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plan.PlanAction;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** The command that writes a planned fact down; null for what is a call. */
class FactCommands implements PlanAction.Cases<@Nullable Command> {
    private final VolumeKey key;
    private final Instant now;

    FactCommands(VolumeKey key, Instant now) {
        this.key = key;
        this.now = now;
    }

    @Override
    public @Nullable Command createVolume(PlanAction.CreateVolume action) {
        return null;
    }

    @Override
    public @Nullable Command deleteVolume(PlanAction.DeleteVolume action) {
        return null;
    }

    @Override
    public @Nullable Command controllerPublish(PlanAction.ControllerPublish action) {
        return null;
    }

    @Override
    public @Nullable Command nodeDetach(PlanAction.NodeDetach action) {
        return null;
    }

    @Override
    public @Nullable Command controllerUnpublish(PlanAction.ControllerUnpublish action) {
        return null;
    }

    @Override
    public @Nullable Command requestFence(PlanAction.RequestFence action) {
        return null;
    }

    @Override
    public Command beginControllerUnpublish(PlanAction.BeginControllerUnpublish action) {
        return new AttachmentCommand.RecordUnpublishing(key, action.nodeId(), now);
    }

    @Override
    public Command removeAttachment(PlanAction.RemoveAttachment action) {
        return new AttachmentCommand.RemoveAttachment(key, action.nodeId(), now);
    }

    @Override
    public Command checkpointClaim(PlanAction.CheckpointClaim action) {
        return new ClaimCommand.CheckpointClaim(
                key, action.allocationId(), action.state(), Optional.empty(), now);
    }

    @Override
    public Command freeClaim(PlanAction.FreeClaim action) {
        return new ClaimCommand.FreeClaim(key, action.allocationId(), now);
    }
}
