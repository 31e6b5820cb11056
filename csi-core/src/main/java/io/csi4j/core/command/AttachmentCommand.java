package io.csi4j.core.command;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Text;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Attempt;
import java.time.Instant;
import java.util.Objects;

/** About what the controller plugin does for a volume on a node. */
public sealed interface AttachmentCommand extends Command {
    /** The volume it is about. */
    VolumeKey key();

    /**
     * ControllerPublishVolume succeeded.
     *
     * @param ifCreateIndex only the attachment whose intent was written at this index, and not one that took its place
     *     since: a command may come through long after it was proposed; 0: whichever there is
     * @param publishContext what it answered
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordPublished(VolumeKey key, NodeId nodeId, long ifCreateIndex, PublishContext publishContext, Instant at)
            implements AttachmentCommand {
        /**
         * For whichever attachment there is.
         *
         * @param publishContext what it answered
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         */
        public RecordPublished(VolumeKey key, NodeId nodeId, PublishContext publishContext, Instant at) {
            this(key, nodeId, 0, publishContext, at);
        }

        /** @throws IllegalArgumentException if the index is negative */
        public RecordPublished {
            Indexes.check("RecordPublished", "ifCreateIndex", ifCreateIndex);
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(publishContext, "publishContext");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordPublished(this);
        }
    }

    /**
     * ControllerUnpublishVolume is about to be called.
     *
     * @param ifCreateIndex only the attachment whose intent was written at this index, and not one that took its place
     *     since: a command may come through long after it was proposed; 0: whichever there is
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordUnpublishing(VolumeKey key, NodeId nodeId, long ifCreateIndex, Instant at)
            implements AttachmentCommand {
        /**
         * For whichever attachment there is.
         *
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         */
        public RecordUnpublishing(VolumeKey key, NodeId nodeId, Instant at) {
            this(key, nodeId, 0, at);
        }

        /** @throws IllegalArgumentException if the index is negative */
        public RecordUnpublishing {
            Indexes.check("RecordUnpublishing", "ifCreateIndex", ifCreateIndex);
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordUnpublishing(this);
        }
    }

    /**
     * The provider has the volume attached to a node where nothing here wants it: the intent to undo that. Makes an
     * attachment that is UNPUBLISHING, which is undone like any other, and keeps new claims off the node until it is.
     *
     * @param externalNodeId the provider's id of the node
     * @param ifModifyIndex only if the volume was last changed at this index: what the provider told is older than any
     *     later change
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordStray(VolumeKey key, NodeId nodeId, ExternalNodeId externalNodeId, long ifModifyIndex, Instant at)
            implements AttachmentCommand {
        public RecordStray {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(externalNodeId, "externalNodeId");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordStray(this);
        }
    }

    /**
     * A call for the attachment failed, or its outcome is unknown. Rejected if the volume is PUBLISHED there: then
     * another call came through, and what would follow from this failure, in the same batch, must not be.
     *
     * @param ifCreateIndex only the attachment whose intent was written at this index, and not one that took its place
     *     since: a command may come through long after it was proposed; 0: whichever there is
     * @param attempt what happened
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordAttachmentError(VolumeKey key, NodeId nodeId, long ifCreateIndex, Attempt attempt, Instant at)
            implements AttachmentCommand {
        /**
         * For whichever attachment there is.
         *
         * @param attempt what happened
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         */
        public RecordAttachmentError(VolumeKey key, NodeId nodeId, Attempt attempt, Instant at) {
            this(key, nodeId, 0, attempt, at);
        }

        /** @throws IllegalArgumentException if the index is negative */
        public RecordAttachmentError {
            Indexes.check("RecordAttachmentError", "ifCreateIndex", ifCreateIndex);
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(attempt, "attempt");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordAttachmentError(this);
        }
    }

    /**
     * ControllerUnpublishVolume succeeded, or was not needed by a fact.
     *
     * @param ifCreateIndex only the attachment whose intent was written at this index, and not one that took its place
     *     since: a command may come through long after it was proposed; 0: whichever there is
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RemoveAttachment(VolumeKey key, NodeId nodeId, long ifCreateIndex, Instant at) implements AttachmentCommand {
        /**
         * For whichever attachment there is.
         *
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         */
        public RemoveAttachment(VolumeKey key, NodeId nodeId, Instant at) {
            this(key, nodeId, 0, at);
        }

        /** @throws IllegalArgumentException if the index is negative */
        public RemoveAttachment {
            Indexes.check("RemoveAttachment", "ifCreateIndex", ifCreateIndex);
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.removeAttachment(this);
        }
    }

    /**
     * The operator's word that the volume is detached from the node, on record (N2). Refused if it names no attachment
     * index and the volume has no attachment there.
     *
     * @param ifCreateIndex only the attachment whose intent was written at this index, and not one that took its place
     *     since: a command may come through long after it was proposed; 0: whichever there is
     * @param who who says so
     * @param why on what grounds
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record OverrideAttachment(VolumeKey key, NodeId nodeId, long ifCreateIndex, String who, String why, Instant at)
            implements AttachmentCommand {
        /**
         * For whichever attachment there is.
         *
         * @param who who says so
         * @param why on what grounds
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         * @throws IllegalArgumentException if the record does not say who and why
         */
        public OverrideAttachment(VolumeKey key, NodeId nodeId, String who, String why, Instant at) {
            this(key, nodeId, 0, who, why, at);
        }

        /**
         * Checks that the record says who and why.
         *
         * @throws IllegalArgumentException if one of them is empty, or the index is negative
         */
        public OverrideAttachment {
            Indexes.check("OverrideAttachment", "ifCreateIndex", ifCreateIndex);
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(nodeId, "nodeId");
            Text.checked("OverrideAttachment: who", who);
            Text.checked("OverrideAttachment: why", why);
            Objects.requireNonNull(at, "at");
            if (who.isEmpty() || why.isEmpty()) {
                throw new IllegalArgumentException(
                        "OverrideAttachment: say who overrides, and why; it is kept on record");
            }
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.overrideAttachment(this);
        }
    }

    /**
     * Has one method for each type of command; a class that implements it cannot omit a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R recordPublished(RecordPublished command);

        R recordUnpublishing(RecordUnpublishing command);

        R recordStray(RecordStray command);

        R recordAttachmentError(RecordAttachmentError command);

        R removeAttachment(RemoveAttachment command);

        R overrideAttachment(OverrideAttachment command);
    }

    /**
     * Calls the method of {@code cases} for the type of this command.
     *
     * @return the value that the method returned
     */
    <R> R accept(Cases<R> cases);
}
