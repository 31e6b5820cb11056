package io.csi4j.core.internal.command;

import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.text.Text;
import java.time.Instant;
import java.util.Objects;

/** Commands that record the attachment of a volume to a node by the controller plugin. */
public sealed interface AttachmentCommand extends Command {
    VolumeKey key();

    /**
     * Records that ControllerPublishVolume succeeded.
     *
     * @param ifCreateIndex the command applies only to the attachment that was added to the state at this index, so
     *     that a delayed command does not change a newer attachment; with 0 it applies to any attachment of the volume
     *     on the node
     * @param publishContext the publish context that the plugin returned
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordPublished(VolumeKey key, NodeId nodeId, long ifCreateIndex, PublishContext publishContext, Instant at)
            implements AttachmentCommand {
        /**
         * Creates a command for any attachment of the volume on the node, without a check of its index.
         *
         * @param publishContext the publish context that the plugin returned
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
     * Records the intent to call ControllerUnpublishVolume.
     *
     * @param ifCreateIndex the command applies only to the attachment that was added to the state at this index, so
     *     that a delayed command does not change a newer attachment; with 0 it applies to any attachment of the volume
     *     on the node
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordUnpublishing(VolumeKey key, NodeId nodeId, long ifCreateIndex, Instant at)
            implements AttachmentCommand {
        /**
         * Creates a command for any attachment of the volume on the node, without a check of its index.
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
     * Records an orphaned attachment: the provider has attached the volume to a node where no claim needs it. Adds an
     * attachment in state UNPUBLISHING, so that the engine detaches the volume. Claims on the node wait until it is
     * detached.
     *
     * @param externalNodeId the storage provider's id of the node
     * @param ifModifyIndex the command is rejected unless the volume was last changed at this index, because a later
     *     change is newer than the provider's report
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RecordOrphan(VolumeKey key, NodeId nodeId, ExternalNodeId externalNodeId, long ifModifyIndex, Instant at)
            implements AttachmentCommand {
        public RecordOrphan {
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(nodeId, "nodeId");
            Objects.requireNonNull(externalNodeId, "externalNodeId");
            Objects.requireNonNull(at, "at");
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.recordOrphan(this);
        }
    }

    /**
     * Removes an attachment, because ControllerUnpublishVolume succeeded or the call is not needed.
     *
     * @param ifCreateIndex the command applies only to the attachment that was added to the state at this index, so
     *     that a delayed command does not change a newer attachment; with 0 it applies to any attachment of the volume
     *     on the node
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record RemoveAttachment(VolumeKey key, NodeId nodeId, long ifCreateIndex, Instant at) implements AttachmentCommand {
        /**
         * Creates a command for any attachment of the volume on the node, without a check of its index.
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
     * Records the statement of an operator that the volume is detached from the node. Rejected if no attachment index
     * is given and the volume has no attachment on the node.
     *
     * @param ifCreateIndex the override applies only to the attachment that was added to the state at this index; with
     *     0 it applies to any attachment of the volume on the node
     * @param operator the operator, not empty
     * @param reason the reason, not empty
     * @param at the time when the command was proposed, by the clock of the server that proposed it
     */
    record OverrideAttachment(
            VolumeKey key, NodeId nodeId, long ifCreateIndex, String operator, String reason, Instant at)
            implements AttachmentCommand {
        /**
         * Creates an override of any attachment of the volume on the node, without a check of its index.
         *
         * @param operator the operator, not empty
         * @param reason the reason, not empty
         * @param at the time when the command was proposed, by the clock of the server that proposed it
         * @throws IllegalArgumentException if {@code operator} or {@code reason} is empty
         */
        public OverrideAttachment(VolumeKey key, NodeId nodeId, String operator, String reason, Instant at) {
            this(key, nodeId, 0, operator, reason, at);
        }

        /** @throws IllegalArgumentException if {@code operator} or {@code reason} is empty, or the index is negative */
        public OverrideAttachment {
            Indexes.check("OverrideAttachment", "ifCreateIndex", ifCreateIndex);
            Objects.requireNonNull(key, "key");
            Objects.requireNonNull(nodeId, "nodeId");
            Text.checked("OverrideAttachment: who", operator);
            Text.checked("OverrideAttachment: why", reason);
            Objects.requireNonNull(at, "at");
            if (operator.isEmpty() || reason.isEmpty()) {
                throw new IllegalArgumentException("OverrideAttachment: give the operator (who) and the reason (why)");
            }
        }

        @Override
        public <R> R accept(Cases<R> cases) {
            return cases.overrideAttachment(this);
        }
    }

    /**
     * Has one method for each type of command, so that the compiler rejects code that omits a type.
     *
     * @param <R> the result type of the methods
     */
    interface Cases<R> {
        R recordPublished(RecordPublished command);

        R recordUnpublishing(RecordUnpublishing command);

        R recordOrphan(RecordOrphan command);

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
