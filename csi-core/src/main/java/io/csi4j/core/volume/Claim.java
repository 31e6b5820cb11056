package io.csi4j.core.volume;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * An allocation's right to use a volume. Nothing of it is dropped by a checkpoint. Immutable.
 *
 * @param allocationId who holds the claim
 * @param nodeId where the allocation is
 * @param externalNodeId the provider's id of the node, resolved before the claim was written; empty: the plugin's node
 *     service gives none
 * @param mode whether the allocation reads or writes
 * @param capability how the volume is used: access and attachment mode
 * @param mountOptions the mount options of the request, possibly empty; they go on top of the volume's
 * @param state how far the claim has come
 * @param createIndex the log index of the command that took it
 * @param takenIndex the log index of the last command that asked for it, at least {@code createIndex}. The allocation may ask
 *     for a claim it has; a release on the strength of an earlier request must not take it from the later one, and
 *     names the request by this index
 * @param retry how the present step went so far
 * @param operatorOverride the operator's word that nothing is left on the node; empty: not given
 */
public record Claim(
        AllocationId allocationId,
        NodeId nodeId,
        Optional<ExternalNodeId> externalNodeId,
        ClaimMode mode,
        RequestedCapability capability,
        MountOptions mountOptions,
        ClaimState state,
        long createIndex,
        long takenIndex,
        Retry retry,
        Optional<OperatorOverride> operatorOverride) {
    public Claim {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(externalNodeId, "externalNodeId");
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(capability, "capability");
        Objects.requireNonNull(mountOptions, "mountOptions");
        Objects.requireNonNull(state, "state");
        takenIndex = Math.max(takenIndex, createIndex);
        Objects.requireNonNull(retry, "retry");
        Objects.requireNonNull(operatorOverride, "operatorOverride");
    }

    /**
     * A builder of a claim that was just taken.
     *
     * @param allocationId who claims
     * @param nodeId where it is
     * @param mode what it does with the volume
     * @param capability how it uses it
     */
    public static Builder builder(
            AllocationId allocationId, NodeId nodeId, ClaimMode mode, RequestedCapability capability) {
        return new Builder(allocationId, nodeId, mode, capability);
    }

    /** A builder that begins with these values. */
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
     * Whether nothing is left on the node as far as this claim goes: the node was detached, or the
     * operator overrode it (I3).
     *
     * @return true if so
     */
    public boolean nodeDetached() {
        return state.atLeast(ClaimState.NODE_DETACHED) || operatorOverride.isPresent();
    }

    @Override
    public String toString() {
        return "Claim[allocationId=" + allocationId + ", nodeId=" + nodeId + ", externalNodeId=" + externalNodeId
                + ", mode=" + mode + ", capability=" + capability + ", state=" + state + ", createIndex="
                + createIndex + ", takenIndex=" + takenIndex + ", retry=" + retry + ", overridden="
                + operatorOverride.isPresent() + "]";
    }

    /** Builds {@link Claim}s. Not safe for use by several threads. */
    public static final class Builder {
        private final AllocationId allocationId;
        private final NodeId nodeId;
        private final ClaimMode mode;
        private final RequestedCapability capability;
        private Optional<ExternalNodeId> externalNodeId = Optional.empty();
        private MountOptions mountOptions = MountOptions.none();
        private ClaimState state = ClaimState.TAKEN;
        private long createIndex;
        private long takenIndex;
        private Retry retry = Retry.none();
        private Optional<OperatorOverride> operatorOverride = Optional.empty();

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
         */
        public Builder externalNodeId(@Nullable ExternalNodeId externalNodeId) {
            this.externalNodeId = Optional.ofNullable(externalNodeId);
            return this;
        }

        /**
         * Sets the mount options of the request.
         *
         * @param mountOptions possibly empty
         */
        public Builder mountOptions(MountOptions mountOptions) {
            this.mountOptions = Objects.requireNonNull(mountOptions, "mountOptions");
            return this;
        }

        /**
         * Sets how far the claim has come.
         *
         * @param state the state; TAKEN if not set
         */
        public Builder state(ClaimState state) {
            this.state = Objects.requireNonNull(state, "state");
            return this;
        }

        /**
         * Sets the index of the command that took it.
         *
         * @param createIndex the log index
         */
        public Builder createIndex(long createIndex) {
            this.createIndex = createIndex;
            return this;
        }

        /**
         * Sets the index of the last command that asked for it.
         *
         * @param takenIndex the log index; that of the command that took it if not set
         */
        public Builder takenIndex(long takenIndex) {
            this.takenIndex = takenIndex;
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
         * Sets the operator's word that nothing is left on the node.
         *
         * @param operatorOverride who, why and when, or null
         */
        public Builder operatorOverride(@Nullable OperatorOverride operatorOverride) {
            this.operatorOverride = Optional.ofNullable(operatorOverride);
            return this;
        }

        /** The value built so far. */
        public Claim build() {
            return new Claim(
                    allocationId,
                    nodeId,
                    externalNodeId,
                    mode,
                    capability,
                    mountOptions,
                    state,
                    createIndex,
                    takenIndex,
                    retry,
                    operatorOverride);
        }
    }
}
