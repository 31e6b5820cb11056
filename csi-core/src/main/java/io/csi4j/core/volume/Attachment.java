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
 */
public final class Attachment {
    private final NodeId nodeId;
    private final @Nullable ExternalNodeId externalNodeId;
    private final boolean readonly;
    private final RequestedCapability capability;
    private final MountOptions mountOptions;
    private final AttachmentState state;
    private final PublishContext publishContext;
    private final long createIndex;
    private final Retry retry;
    private final @Nullable OperatorOverride operatorOverride;

    private Attachment(Builder builder) {
        this.nodeId = builder.nodeId;
        this.externalNodeId = builder.externalNodeId;
        this.readonly = builder.readonly;
        this.capability = builder.capability;
        this.mountOptions = builder.mountOptions;
        this.state = builder.state;
        this.publishContext = builder.publishContext;
        this.createIndex = builder.createIndex;
        this.retry = builder.retry;
        this.operatorOverride = builder.operatorOverride;
    }

    /**
     * A builder of the intent to publish.
     *
     * @param nodeId where to
     * @param capability how the volume is used there
     * @return a new builder
     */
    public static Builder builder(NodeId nodeId, RequestedCapability capability) {
        return new Builder(nodeId, capability);
    }

    /**
     * A builder that begins with these values.
     *
     * @return a new builder
     */
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

    /**
     * The node.
     *
     * @return the host's id
     */
    public NodeId nodeId() {
        return nodeId;
    }

    /**
     * The provider's id of the node, for both controller calls (R61).
     *
     * @return the id; empty: none is known
     */
    public Optional<ExternalNodeId> externalNodeId() {
        return Optional.ofNullable(externalNodeId);
    }

    /**
     * Whether it is published read-only.
     *
     * @return the field of the call
     */
    public boolean readonly() {
        return readonly;
    }

    /**
     * How the volume is used on the node.
     *
     * @return access and attachment mode
     */
    public RequestedCapability capability() {
        return capability;
    }

    /**
     * The mount options of the call.
     *
     * @return the volume's, with those of the first claim on top
     */
    public MountOptions mountOptions() {
        return mountOptions;
    }

    /**
     * What is known about it.
     *
     * @return the state
     */
    public AttachmentState state() {
        return state;
    }

    /**
     * What the plugin answered for the node side (R63).
     *
     * @return possibly empty; of no account while PUBLISHING
     */
    public PublishContext publishContext() {
        return publishContext;
    }

    /**
     * The index of the command that wrote the intent.
     *
     * @return the log index
     */
    public long createIndex() {
        return createIndex;
    }

    /**
     * How the present step went so far.
     *
     * @return failed attempts and the next retry
     */
    public Retry retry() {
        return retry;
    }

    /**
     * The operator's word that it is detached.
     *
     * @return who, why and when; empty: not given
     */
    public Optional<OperatorOverride> operatorOverride() {
        return Optional.ofNullable(operatorOverride);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Attachment that
                && nodeId.equals(that.nodeId)
                && Objects.equals(externalNodeId, that.externalNodeId)
                && readonly == that.readonly
                && capability.equals(that.capability)
                && mountOptions.equals(that.mountOptions)
                && state == that.state
                && publishContext.equals(that.publishContext)
                && createIndex == that.createIndex
                && retry.equals(that.retry)
                && Objects.equals(operatorOverride, that.operatorOverride);
    }

    @Override
    public int hashCode() {
        return Objects.hash(nodeId, readonly, state, createIndex);
    }

    @Override
    public String toString() {
        return "Attachment[nodeId=" + nodeId + ", externalNodeId=" + externalNodeId + ", readonly=" + readonly
                + ", capability=" + capability + ", state=" + state + ", createIndex=" + createIndex + ", retry="
                + retry + ", overridden=" + (operatorOverride != null) + "]";
    }

    /** Builds {@link Attachment}s. Not safe for use by several threads. */
    public static final class Builder {
        private final NodeId nodeId;
        private final RequestedCapability capability;
        private @Nullable ExternalNodeId externalNodeId;
        private boolean readonly;
        private MountOptions mountOptions = MountOptions.none();
        private AttachmentState state = AttachmentState.PUBLISHING;
        private PublishContext publishContext = PublishContext.empty();
        private long createIndex;
        private Retry retry = Retry.none();
        private @Nullable OperatorOverride operatorOverride;

        private Builder(NodeId nodeId, RequestedCapability capability) {
            this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
            this.capability = Objects.requireNonNull(capability, "capability");
        }

        /**
         * Sets the provider's id of the node.
         *
         * @param externalNodeId the id, or null: none is known
         * @return this
         */
        public Builder externalNodeId(@Nullable ExternalNodeId externalNodeId) {
            this.externalNodeId = externalNodeId;
            return this;
        }

        /**
         * Sets whether it is published read-only.
         *
         * @param readonly the field of the call
         * @return this
         */
        public Builder readonly(boolean readonly) {
            this.readonly = readonly;
            return this;
        }

        /**
         * Sets the mount options of the call.
         *
         * @param mountOptions possibly empty
         * @return this
         */
        public Builder mountOptions(MountOptions mountOptions) {
            this.mountOptions = Objects.requireNonNull(mountOptions, "mountOptions");
            return this;
        }

        /**
         * Sets what is known about it.
         *
         * @param state the state; PUBLISHING if not set
         * @return this
         */
        public Builder state(AttachmentState state) {
            this.state = Objects.requireNonNull(state, "state");
            return this;
        }

        /**
         * Sets what the plugin answered for the node side.
         *
         * @param publishContext possibly empty
         * @return this
         */
        public Builder publishContext(PublishContext publishContext) {
            this.publishContext = Objects.requireNonNull(publishContext, "publishContext");
            return this;
        }

        /**
         * Sets the index of the command that wrote the intent.
         *
         * @param createIndex the log index
         * @return this
         */
        public Builder createIndex(long createIndex) {
            this.createIndex = createIndex;
            return this;
        }

        /**
         * Sets how the present step went so far.
         *
         * @param retry failed attempts and the next retry
         * @return this
         */
        public Builder retry(Retry retry) {
            this.retry = Objects.requireNonNull(retry, "retry");
            return this;
        }

        /**
         * Sets the operator's word that it is detached.
         *
         * @param operatorOverride who, why and when, or null
         * @return this
         */
        public Builder operatorOverride(@Nullable OperatorOverride operatorOverride) {
            this.operatorOverride = operatorOverride;
            return this;
        }

        /**
         * The value built so far.
         *
         * @return an immutable value
         */
        public Attachment build() {
            return new Attachment(this);
        }
    }
}
