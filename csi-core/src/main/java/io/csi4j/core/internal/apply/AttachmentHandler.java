package io.csi4j.core.internal.apply;

import io.csi4j.core.call.Problem;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.OperatorOverride;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumePhase;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Applies the commands about attachments. Repeated commands for a removed attachment have no effect. */
final class AttachmentHandler implements AttachmentCommand.Cases<Outcome> {
    private final Step step;

    AttachmentHandler(Step step) {
        this.step = step;
    }

    @Override
    public Outcome recordPublished(AttachmentCommand.RecordPublished command) {
        return step.withVolume(command.key(), volume -> publish(volume, command));
    }

    private Outcome publish(Volume volume, AttachmentCommand.RecordPublished command) {
        Optional<Attachment> found = attachment(volume, command.nodeId(), command.ifCreateIndex());
        if (found.isEmpty()) {
            return Step.rejected(new Rejection.AttachmentNotFound(command.key(), command.nodeId()));
        }
        Attachment attachment = found.get();
        return switch (attachment.state()) {
            case PUBLISHING ->
                store(
                        volume,
                        attachment.toBuilder()
                                .state(AttachmentState.PUBLISHED)
                                .publishContext(command.publishContext())
                                .retry(Retry.none()));
            case PUBLISHED ->
                attachment.publishContext().equals(command.publishContext())
                        ? step.accepted()
                        : Step.rejected(new Rejection.PublishContextChanged(command.key(), command.nodeId()));
            case UNPUBLISHING -> wrongState(command.key(), attachment, AttachmentState.PUBLISHING);
        };
    }

    /**
     * Returns the attachment to a node. Returns empty if the attachment has another create index than
     * {@code ifCreateIndex}, because a command must not change a newer attachment. If {@code ifCreateIndex} is 0, the
     * create index is not checked.
     */
    private static Optional<Attachment> attachment(Volume volume, NodeId nodeId, long ifCreateIndex) {
        return volume.attachments()
                .on(nodeId)
                .filter(attachment -> ifCreateIndex == 0 || attachment.createIndex() == ifCreateIndex);
    }

    @Override
    public Outcome recordUnpublishing(AttachmentCommand.RecordUnpublishing command) {
        return step.withVolume(
                command.key(),
                volume -> unpublish(volume, command.nodeId(), command.ifCreateIndex(), Optional.empty()));
    }

    @Override
    public Outcome overrideAttachment(AttachmentCommand.OverrideAttachment command) {
        OperatorOverride override = new OperatorOverride(command.operator(), command.reason(), step.at());
        return step.withVolume(
                command.key(),
                volume -> unpublish(volume, command.nodeId(), command.ifCreateIndex(), Optional.of(override)));
    }

    private Outcome unpublish(Volume volume, NodeId nodeId, long ifCreateIndex, Optional<OperatorOverride> override) {
        VolumeKey key = volume.key();
        Optional<Attachment> found = attachment(volume, nodeId, ifCreateIndex);
        if (found.isEmpty()) {
            return override.isPresent() && ifCreateIndex == 0
                    ? Step.rejected(new Rejection.AttachmentNotFound(key, nodeId))
                    : step.accepted();
        }
        Attachment attachment = found.get();
        boolean unpublishing = attachment.state() == AttachmentState.UNPUBLISHING;
        if (unpublishing && (override.isEmpty() || attachment.operatorOverride().isPresent())) {
            return step.accepted();
        }
        Claims here = volume.claims().on(nodeId);
        if (here.notNodeDetached() > 0 && !isLost(volume, attachment)) {
            return Step.rejected(new Rejection.AttachmentInUse(key, nodeId, notDetached(here)));
        }
        return store(
                volume,
                attachment.toBuilder()
                        .state(AttachmentState.UNPUBLISHING)
                        .retry(unpublishing ? attachment.retry() : Retry.none())
                        .operatorOverride(
                                override.or(attachment::operatorOverride).orElse(null)));
    }

    @Override
    public Outcome recordOrphan(AttachmentCommand.RecordOrphan command) {
        return step.withVolume(command.key(), volume -> recordOrphan(volume, command));
    }

    private Outcome recordOrphan(Volume volume, AttachmentCommand.RecordOrphan command) {
        boolean unpublishing = volume.attachments()
                .on(command.nodeId())
                .filter(attachment -> attachment.state() == AttachmentState.UNPUBLISHING)
                .isPresent();
        if (unpublishing) {
            return step.accepted();
        }
        if (command.ifModifyIndex() != volume.modifyIndex()) {
            return Step.rejected(
                    new Rejection.VolumeChanged(command.key(), command.ifModifyIndex(), volume.modifyIndex()));
        }
        if (volume.phase() == VolumePhase.CREATING || volume.externalVolumeId().isEmpty()) {
            return Step.rejected(new Rejection.WrongPhase(command.key(), volume.phase(), VolumePhase.AVAILABLE));
        }
        boolean used = !volume.claims().on(command.nodeId()).isEmpty()
                || volume.attachments().on(command.nodeId()).isPresent();
        if (used) {
            List<Holder> holders = volume.claims().on(command.nodeId()).holders();
            return Step.rejected(new Rejection.AttachmentInUse(command.key(), command.nodeId(), holders));
        }
        return storeOrphan(volume, command);
    }

    /**
     * Adds an orphaned attachment in state UNPUBLISHING. The provider does not report the capability, so the attachment
     * gets the capability of the volume's current claims or, if there are no claims, the first capability of the
     * specification.
     */
    private Outcome storeOrphan(Volume volume, AttachmentCommand.RecordOrphan command) {
        Optional<RequestedCapability> capability = volume.currentCapability()
                .or(() -> volume.spec().requestedCapabilities().stream().findFirst());
        if (capability.isEmpty()) {
            return Step.rejected(new Rejection.InvalidRequest(
                    "volume " + command.key(),
                    List.of(new Problem(
                            "requestedCapabilities",
                            "are empty, so nothing can be attached",
                            "register it with one"))));
        }
        return store(
                volume,
                Attachment.builder(command.nodeId(), capability.get())
                        .externalNodeId(command.externalNodeId())
                        .state(AttachmentState.UNPUBLISHING)
                        .createIndex(step.index()));
    }

    /**
     * Returns whether the machine of the attachment cannot reach storage any more; false if the state has no row for
     * the node.
     */
    private boolean isLost(Volume volume, Attachment attachment) {
        return step.reader()
                .node(attachment.nodeId())
                .filter(node -> node.isLost(volume.pluginId(), attachment.externalNodeId()))
                .isPresent();
    }

    private static List<Holder> notDetached(Claims claims) {
        List<Holder> holders = new ArrayList<>();
        for (Claim claim : claims) {
            if (!claim.nodeDetached()) {
                holders.add(Holder.of(claim));
            }
        }
        return holders;
    }

    @Override
    public Outcome removeAttachment(AttachmentCommand.RemoveAttachment command) {
        return step.withVolume(command.key(), volume -> remove(volume, command));
    }

    private Outcome remove(Volume volume, AttachmentCommand.RemoveAttachment command) {
        Optional<Attachment> found = attachment(volume, command.nodeId(), command.ifCreateIndex());
        if (found.isEmpty()) {
            return step.accepted();
        }
        if (found.get().state() != AttachmentState.UNPUBLISHING) {
            return wrongState(command.key(), found.get(), AttachmentState.UNPUBLISHING);
        }
        Volume.Builder detached =
                volume.toBuilder().attachments(volume.attachments().without(command.nodeId()));
        if (volume.phase() == VolumePhase.DELETING) {
            // An earlier DeleteVolume may have failed because of the attachment.
            detached.retry(volume.retry().dueNow());
        }
        step.store(detached);
        UnreferencedRows.removeGoneNode(step, command.nodeId());
        return step.accepted();
    }

    private Outcome store(Volume volume, Attachment.Builder attachment) {
        step.store(volume.toBuilder().attachments(volume.attachments().with(attachment.build())));
        return step.accepted();
    }

    static Outcome wrongState(VolumeKey key, Attachment attachment, AttachmentState needed) {
        return Step.rejected(new Rejection.WrongAttachmentState(key, attachment.nodeId(), attachment.state(), needed));
    }
}
