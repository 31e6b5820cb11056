package io.csi4j.core.volume;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.id.NodeId;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the controller plugin has done, or may have done, for one volume on one node. The fields of
 * the call are kept with it, so that a repeat is identical (R29). Immutable.
 *
 * @param nodeId the node, by the host's id
 * @param externalNodeId the provider's id of the node, for both controller calls (R61); empty: none is known
 * @param readonly whether it is published read-only
 * @param capability how the volume is used on the node: access and attachment mode
 * @param mountOptions the mount options of the call: the volume's, with those of the first claim on top
 * @param state the known state
 * @param publishContext the plugin's answer for the node side (R63); possibly empty, and not to be used while PUBLISHING
 * @param createIndex the log index of the command that wrote the intent
 * @param retry how the present step went so far
 * @param operatorOverride the operator's word that it is detached; empty: not given
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
     * A builder of the intent to publish.
     *
     * @param nodeId where to
     * @param capability how the volume is used there
     */
    public static Builder builder(NodeId nodeId, RequestedCapability capability) {
        return new Builder(nodeId, capability);
    }

    /** A builder that begins with these values. */
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

    /** Builds {@link Attachment}s. Not safe for use by several threads. */
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

        /**
         * Sets the provider's id of the node.
         *
         * @param externalNodeId the id, or null: none is known
         */
        public Builder externalNodeId(@Nullable ExternalNodeId externalNodeId) {
            this.externalNodeId = Optional.ofNullable(externalNodeId);
            return this;
        }

        /**
         * Sets whether it is published read-only.
         *
         * @param readonly the field of the call
         */
        public Builder readonly(boolean readonly) {
            this.readonly = readonly;
            return this;
        }

        /**
         * Sets the mount options of the call.
         *
         * @param mountOptions possibly empty
         */
        public Builder mountOptions(MountOptions mountOptions) {
            this.mountOptions = Objects.requireNonNull(mountOptions, "mountOptions");
            return this;
        }

        /**
         * Sets what is known about it.
         *
         * @param state the state; PUBLISHING if not set
         */
        public Builder state(AttachmentState state) {
            this.state = Objects.requireNonNull(state, "state");
            return this;
        }

        /**
         * Sets what the plugin answered for the node side.
         *
         * @param publishContext possibly empty
         */
        public Builder publishContext(PublishContext publishContext) {
            this.publishContext = Objects.requireNonNull(publishContext, "publishContext");
            return this;
        }

        /**
         * Sets the index of the command that wrote the intent.
         *
         * @param createIndex the log index
         */
        public Builder createIndex(long createIndex) {
            this.createIndex = createIndex;
            return this;
        }

        /**
         * Sets how the present step went so far.
         *
         * @param retry failed attempts and the next retry
         */
        public Builder retry(Retry retry) {
            this.retry = Objects.requireNonNull(retry, "retry");
            return this;
        }

        /**
         * Sets the operator's word that it is detached.
         *
         * @param operatorOverride who, why and when, or null
         */
        public Builder operatorOverride(@Nullable OperatorOverride operatorOverride) {
            this.operatorOverride = Optional.ofNullable(operatorOverride);
            return this;
        }

        /** The value built so far. */
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
