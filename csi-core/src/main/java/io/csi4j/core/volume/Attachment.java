package io.csi4j.core.volume;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.NodeId;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The attachment of one volume to one node by the plugin's controller. It is stored before the volume is attached, and
 * removed after the volume is detached. It contains the fields of the ControllerPublishVolume request, so that each
 * retry sends the identical request (R29). Immutable.
 *
 * @param nodeId the host's id of the node
 * @param externalNodeId the storage provider's id of the node, for publish and unpublish calls (R61); empty if not
 *     known
 * @param readonly whether the volume is published read-only
 * @param capability how the volume is used on the node: the access mode, and block device or file system
 * @param mountOptions the mount options in ControllerPublishVolume: those of the volume, overridden by those of the
 *     first claim
 * @param state the last known state
 * @param publishContext the plugin's response for the node (R63); may be empty; not known while the state is PUBLISHING
 * @param createIndex the index of the command that added the attachment to the state
 * @param retry the failed attempts at the current step
 * @param operatorOverride an operator's statement that the volume is detached; empty if there is none
 */
public record Attachment(
        NodeId nodeId,
        Optional<ExternalNodeId> externalNodeId,
        boolean readonly,
        RequestedCapability capability,
        MountOptions mountOptions,
        AttachmentState state,
        PublishContext publishContext,
        long createIndex,
        Retry retry,
        Optional<OperatorOverride> operatorOverride) {
    public Attachment {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(externalNodeId, "externalNodeId");
        Objects.requireNonNull(capability, "capability");
        Objects.requireNonNull(mountOptions, "mountOptions");
        Objects.requireNonNull(state, "state");
        Objects.requireNonNull(publishContext, "publishContext");
        Objects.requireNonNull(retry, "retry");
        Objects.requireNonNull(operatorOverride, "operatorOverride");
    }

    /**
     * Returns a builder of an attachment with the state PUBLISHING: the intent to publish the volume.
     *
     * @param nodeId the node
     * @param capability how the volume is used on the node: the access mode, and block device or file system
     */
    public static Builder builder(NodeId nodeId, RequestedCapability capability) {
        return new Builder(nodeId, capability);
    }

    /** Returns a builder that begins with the values of this object. */
    public Builder toBuilder() {
        Builder builder = new Builder(nodeId, capability);
        builder.externalNodeId = externalNodeId;
        builder.readonly = readonly;
        builder.mountOptions = mountOptions;
        builder.state = state;
        builder.publishContext = publishContext;
        builder.createIndex = createIndex;
        builder.retry = retry;
        builder.operatorOverride = operatorOverride;
        return builder;
    }

    @Override
    public String toString() {
        return "Attachment[nodeId=" + nodeId + ", externalNodeId=" + externalNodeId + ", readonly=" + readonly
                + ", capability=" + capability + ", state=" + state + ", createIndex=" + createIndex + ", retry="
                + retry + ", overridden=" + operatorOverride.isPresent() + "]";
    }

    /** Builds {@link Attachment}s. Not thread-safe. */
    public static final class Builder {
        private final NodeId nodeId;
        private final RequestedCapability capability;
        private Optional<ExternalNodeId> externalNodeId = Optional.empty();
        private boolean readonly;
        private MountOptions mountOptions = MountOptions.none();
        private AttachmentState state = AttachmentState.PUBLISHING;
        private PublishContext publishContext = PublishContext.empty();
        private long createIndex;
        private Retry retry = Retry.none();
        private Optional<OperatorOverride> operatorOverride = Optional.empty();

        private Builder(NodeId nodeId, RequestedCapability capability) {
            this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
            this.capability = Objects.requireNonNull(capability, "capability");
        }

        /** Sets the storage provider's id of the node; null if not known. */
        public Builder externalNodeId(@Nullable ExternalNodeId externalNodeId) {
            this.externalNodeId = Optional.ofNullable(externalNodeId);
            return this;
        }

        /** Sets whether the volume is published read-only. */
        public Builder readonly(boolean readonly) {
            this.readonly = readonly;
            return this;
        }

        /** Sets the mount options that ControllerPublishVolume sends. */
        public Builder mountOptions(MountOptions mountOptions) {
            this.mountOptions = Objects.requireNonNull(mountOptions, "mountOptions");
            return this;
        }

        /** Sets the last known state. Default: PUBLISHING. */
        public Builder state(AttachmentState state) {
            this.state = Objects.requireNonNull(state, "state");
            return this;
        }

        /** Sets the context that ControllerPublishVolume returned, for the calls on the node (R63). */
        public Builder publishContext(PublishContext publishContext) {
            this.publishContext = Objects.requireNonNull(publishContext, "publishContext");
            return this;
        }

        /** Sets the index of the command that added the attachment to the state. */
        public Builder createIndex(long createIndex) {
            this.createIndex = createIndex;
            return this;
        }

        /** Sets the failed attempts at the current step. */
        public Builder retry(Retry retry) {
            this.retry = Objects.requireNonNull(retry, "retry");
            return this;
        }

        /** Sets an operator's statement that the volume is detached; null if there is none. */
        public Builder operatorOverride(@Nullable OperatorOverride operatorOverride) {
            this.operatorOverride = Optional.ofNullable(operatorOverride);
            return this;
        }

        public Attachment build() {
            return new Attachment(
                    nodeId,
                    externalNodeId,
                    readonly,
                    capability,
                    mountOptions,
                    state,
                    publishContext,
                    createIndex,
                    retry,
                    operatorOverride);
        }
    }
}
