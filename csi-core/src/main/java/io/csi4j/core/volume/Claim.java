package io.csi4j.core.volume;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An allocation's right to use a volume. Nothing of it is dropped by a checkpoint. Immutable.
 */
public final class Claim {
    private final AllocationId allocationId;
    private final NodeId nodeId;
    private final @Nullable ExternalNodeId externalNodeId;
    private final ClaimMode mode;
    private final RequestedCapability capability;
    private final MountOptions mountOptions;
    private final ClaimState state;
    private final long createIndex;
    private final long takenIndex;
    private final Retry retry;
    private final @Nullable OperatorOverride operatorOverride;

    private Claim(Builder builder) {
        this.allocationId = builder.allocationId;
        this.nodeId = builder.nodeId;
        this.externalNodeId = builder.externalNodeId;
        this.mode = builder.mode;
        this.capability = builder.capability;
        this.mountOptions = builder.mountOptions;
        this.state = builder.state;
        this.createIndex = builder.createIndex;
        this.takenIndex = Math.max(builder.takenIndex, builder.createIndex);
        this.retry = builder.retry;
        this.operatorOverride = builder.operatorOverride;
    }

    /**
     * A builder of a claim that was just taken.
     *
     * @param allocationId who claims
     * @param nodeId where it is
     * @param mode what it does with the volume
     * @param capability how it uses it
     * @return a new builder
     */
    public static Builder builder(
            AllocationId allocationId, NodeId nodeId, ClaimMode mode, RequestedCapability capability) {
        return new Builder(allocationId, nodeId, mode, capability);
    }

    /**
     * A builder that begins with these values.
     *
     * @return a new builder
     */
    public Builder toBuilder() {
        Builder builder = new Builder(allocationId, nodeId, mode, capability);
        builder.externalNodeId = externalNodeId;
        builder.mountOptions = mountOptions;
        builder.state = state;
        builder.createIndex = createIndex;
        builder.takenIndex = takenIndex;
        builder.retry = retry;
        builder.operatorOverride = operatorOverride;
        return builder;
    }

    /**
     * Who holds the claim.
     *
     * @return the allocation
     */
    public AllocationId allocationId() {
        return allocationId;
    }

    /**
     * Where the allocation is.
     *
     * @return the node
     */
    public NodeId nodeId() {
        return nodeId;
    }

    /**
     * The provider's id of the node, resolved before the claim was written (S6).
     *
     * @return the id; empty: the plugin's node service tells none
     */
    public Optional<ExternalNodeId> externalNodeId() {
        return Optional.ofNullable(externalNodeId);
    }

    /**
     * What the allocation does with the volume.
     *
     * @return read or write
     */
    public ClaimMode mode() {
        return mode;
    }

    /**
     * How the volume is used.
     *
     * @return access and attachment mode
     */
    public RequestedCapability capability() {
        return capability;
    }

    /**
     * The mount options of the request; they go on top of the volume's.
     *
     * @return possibly empty
     */
    public MountOptions mountOptions() {
        return mountOptions;
    }

    /**
     * How far the claim has come.
     *
     * @return the state
     */
    public ClaimState state() {
        return state;
    }

    /**
     * The index of the command that took it.
     *
     * @return the log index
     */
    public long createIndex() {
        return createIndex;
    }

    /**
     * The index of the last command that asked for it. The allocation may ask for a claim it has (I13); who gives it up on
     * the strength of an earlier request must not take it from the later one, and says so by this index.
     *
     * @return the log index; that of {@link #createIndex()} as long as it was asked for once
     */
    public long takenIndex() {
        return takenIndex;
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
     * The operator's word that nothing is left on the node.
     *
     * @return who, why and when; empty: not given
     */
    public Optional<OperatorOverride> operatorOverride() {
        return Optional.ofNullable(operatorOverride);
    }

    /**
     * Whether nothing is left on the node as far as this claim goes: the node was detached, or the
     * operator overrode it (I3).
     *
     * @return true if so
     */
    public boolean nodeDetached() {
        return state.atLeast(ClaimState.NODE_DETACHED) || operatorOverride != null;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Claim that
                && allocationId.equals(that.allocationId)
                && nodeId.equals(that.nodeId)
                && Objects.equals(externalNodeId, that.externalNodeId)
                && mode == that.mode
                && capability.equals(that.capability)
                && mountOptions.equals(that.mountOptions)
                && state == that.state
                && createIndex == that.createIndex
                && takenIndex == that.takenIndex
                && retry.equals(that.retry)
                && Objects.equals(operatorOverride, that.operatorOverride);
    }

    @Override
    public int hashCode() {
        return Objects.hash(allocationId, nodeId, mode, state, createIndex);
    }

    @Override
    public String toString() {
        return "Claim[allocationId=" + allocationId + ", nodeId=" + nodeId + ", externalNodeId=" + externalNodeId
                + ", mode=" + mode + ", capability=" + capability + ", state=" + state + ", createIndex="
                + createIndex + ", takenIndex=" + takenIndex + ", retry=" + retry + ", overridden="
                + (operatorOverride != null) + "]";
    }

    /** Builds {@link Claim}s. Not safe for use by several threads. */
    public static final class Builder {
        private final AllocationId allocationId;
        private final NodeId nodeId;
        private final ClaimMode mode;
        private final RequestedCapability capability;
        private @Nullable ExternalNodeId externalNodeId;
        private MountOptions mountOptions = MountOptions.none();
        private ClaimState state = ClaimState.TAKEN;
        private long createIndex;
        private long takenIndex;
        private Retry retry = Retry.none();
        private @Nullable OperatorOverride operatorOverride;

        private Builder(AllocationId allocationId, NodeId nodeId, ClaimMode mode, RequestedCapability capability) {
            this.allocationId = Objects.requireNonNull(allocationId, "allocationId");
            this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
            this.mode = Objects.requireNonNull(mode, "mode");
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
         * Sets the mount options of the request.
         *
         * @param mountOptions possibly empty
         * @return this
         */
        public Builder mountOptions(MountOptions mountOptions) {
            this.mountOptions = Objects.requireNonNull(mountOptions, "mountOptions");
            return this;
        }

        /**
         * Sets how far the claim has come.
         *
         * @param state the state; TAKEN if not set
         * @return this
         */
        public Builder state(ClaimState state) {
            this.state = Objects.requireNonNull(state, "state");
            return this;
        }

        /**
         * Sets the index of the command that took it.
         *
         * @param createIndex the log index
         * @return this
         */
        public Builder createIndex(long createIndex) {
            this.createIndex = createIndex;
            return this;
        }

        /**
         * Sets the index of the last command that asked for it.
         *
         * @param takenIndex the log index; that of the command that took it if not set
         * @return this
         */
        public Builder takenIndex(long takenIndex) {
            this.takenIndex = takenIndex;
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
         * Sets the operator's word that nothing is left on the node.
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
        public Claim build() {
            return new Claim(this);
        }
    }
}
