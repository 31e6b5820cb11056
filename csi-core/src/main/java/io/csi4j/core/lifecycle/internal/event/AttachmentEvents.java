package io.csi4j.core.lifecycle.internal.event;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.spi.AttachmentEvent;
import java.time.Instant;

/** Maps each command about an attachment to its event. */
final class AttachmentEvents implements AttachmentCommand.Cases<AttachmentEvent> {
    private final long index;

    AttachmentEvents(long index) {
        this.index = index;
    }

    private AttachmentEvent event(VolumeKey key, NodeId nodeId, AttachmentEvent.Change change, Instant at) {
        return new AttachmentEvent(key, nodeId, change, index, at);
    }

    @Override
    public AttachmentEvent recordPublished(AttachmentCommand.RecordPublished command) {
        return event(command.key(), command.nodeId(), AttachmentEvent.Change.PUBLISHED, command.at());
    }

    @Override
    public AttachmentEvent recordUnpublishing(AttachmentCommand.RecordUnpublishing command) {
        return event(command.key(), command.nodeId(), AttachmentEvent.Change.UNPUBLISHING, command.at());
    }

    @Override
    public AttachmentEvent recordOrphan(AttachmentCommand.RecordOrphan command) {
        return event(command.key(), command.nodeId(), AttachmentEvent.Change.UNPUBLISHING, command.at());
    }

    @Override
    public AttachmentEvent removeAttachment(AttachmentCommand.RemoveAttachment command) {
        return event(command.key(), command.nodeId(), AttachmentEvent.Change.REMOVED, command.at());
    }

    @Override
    public AttachmentEvent overrideAttachment(AttachmentCommand.OverrideAttachment command) {
        return event(command.key(), command.nodeId(), AttachmentEvent.Change.OVERRIDDEN, command.at());
    }
}
