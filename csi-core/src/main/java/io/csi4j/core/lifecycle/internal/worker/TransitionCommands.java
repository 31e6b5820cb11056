package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.command.Command;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.ChangeCommand;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.plan.PlannedStep;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.time.Instant;
import java.util.Optional;

/** Returns the command that records each planned transition of a volume. */
final class TransitionCommands {
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

    /** Returns the command that records a transition. */
    Command of(PlannedStep step) {
        return switch (step.kind()) {
            case SKIP_CONTROLLER_EXPANSION ->
                new ChangeCommand.RecordExpanded(
                        key,
                        volume.createIndex(),
                        volume.expansion().orElseThrow().range(),
                        0,
                        true,
                        now);
            case BEGIN_CONTROLLER_UNPUBLISH ->
                new AttachmentCommand.RecordUnpublishing(key, step.nodeId(), intent(step.nodeId()), now);
            case REMOVE_ATTACHMENT ->
                new AttachmentCommand.RemoveAttachment(key, step.nodeId(), intent(step.nodeId()), now);
            case CHECKPOINT_CLAIM -> {
                Claim claim = claim(step.allocationId());
                yield new ClaimCommand.CheckpointClaim(
                        key, claim.allocationId(), claim.takenIndex(), step.state(), now);
            }
            case FREE_CLAIM -> {
                Claim claim = claim(step.allocationId());
                yield new ClaimCommand.FreeClaim(key, claim.allocationId(), claim.createIndex(), now);
            }
            case DISCARD_UNUSED -> new VolumeCommand.DiscardUnused(key, volume.createIndex(), Optional.empty(), now);
            default -> throw new IllegalArgumentException(step + " is a call");
        };
    }
}
