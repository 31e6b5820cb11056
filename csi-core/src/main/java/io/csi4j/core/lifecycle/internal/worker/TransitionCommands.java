package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.command.AttachmentCommand;
import io.csi4j.core.command.ChangeCommand;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.plan.PlannedTransition;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.time.Instant;
import java.util.Optional;

/** Maps each planned transition to the command that records it. */
final class TransitionCommands implements PlannedTransition.Cases<Command> {
    private final Volume volume;
    private final VolumeKey key;
    private final Instant now;

    TransitionCommands(Volume volume, Instant now) {
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
    public Command skipControllerExpansion(PlannedTransition.SkipControllerExpansion fact) {
        CapacityRange range = volume.expansion().orElseThrow().range();
        return new ChangeCommand.RecordExpanded(key, volume.createIndex(), range, 0, true, now);
    }

    @Override
    public Command beginControllerUnpublish(PlannedTransition.BeginControllerUnpublish fact) {
        return new AttachmentCommand.RecordUnpublishing(key, fact.nodeId(), intent(fact.nodeId()), now);
    }

    @Override
    public Command removeAttachment(PlannedTransition.RemoveAttachment fact) {
        return new AttachmentCommand.RemoveAttachment(key, fact.nodeId(), intent(fact.nodeId()), now);
    }

    @Override
    public Command checkpointClaim(PlannedTransition.CheckpointClaim fact) {
        Claim claim = claim(fact.allocationId());
        return new ClaimCommand.CheckpointClaim(
                key, claim.allocationId(), claim.takenIndex(), fact.state(), Optional.empty(), now);
    }

    @Override
    public Command freeClaim(PlannedTransition.FreeClaim fact) {
        Claim claim = claim(fact.allocationId());
        return new ClaimCommand.FreeClaim(key, claim.allocationId(), claim.createIndex(), now);
    }
}
