package io.csi4j.core.volume;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The right of an allocation to use a volume. Immutable.
 *
 * @param allocationId the allocation
 * @param nodeId the node of the allocation
 * @param externalNodeId the storage provider's id of the node at the time of the claim; empty if the plugin's node
 *     service reports none
 * @param mode whether the allocation reads or writes
 * @param capability how the allocation uses the volume: the access mode, and block device or file system
 * @param mountOptions the mount options of the request, which override those of the volume; may be empty
 * @param state the state of the claim, from taken to ready to free
 * @param createIndex the index of the command that took the claim
 * @param takenIndex the index of the last command that requested the claim, at least {@code createIndex}. An allocation
 *     may request a claim again that it already has. A release names this index, so that it does not end a claim that
 *     was requested again later
 * @param retry the failed attempts at the current step
 * @param operatorOverride an operator's statement that the volume is no longer mounted or staged on the node; empty if
 *     there is none
 * @param formerVolume the key that the volume had when the node mounted it, if that was another one: an operator
 *     {@linkplain Leftover forgot} the volume of that key and this volume took over its claims, or the claim was adopted
 *     from the report of a node that knows the volume by that key. Empty for a claim that was taken on this volume
 * @param adopted whether the claim was made from the report of a node that uses the volume, because the state had lost
 *     the allocation's claim. It may exceed what the access mode permits beside the other claims
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
        Optional<OperatorOverride> operatorOverride,
        Optional<VolumeKey> formerVolume,
        boolean adopted) {
    /** @throws IllegalArgumentException if {@code createIndex} is negative */
    public Claim {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(externalNodeId, "externalNodeId");
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(capability, "capability");
        Objects.requireNonNull(mountOptions, "mountOptions");
        Objects.requireNonNull(state, "state");
        if (createIndex < 0) {
            throw new IllegalArgumentException("Claim: createIndex is " + createIndex + "; use the index of a command");
        }
        takenIndex = Math.max(takenIndex, createIndex);
        Objects.requireNonNull(retry, "retry");
        Objects.requireNonNull(operatorOverride, "operatorOverride");
        Objects.requireNonNull(formerVolume, "formerVolume");
    }

    /**
     * Returns a builder of a newly taken claim.
     *
     * @param allocationId the allocation
     * @param nodeId the node of the allocation
     * @param mode whether the allocation reads or writes
     * @param capability how the allocation uses the volume: the access mode, and block device or file system
     */
    public static Builder builder(
            AllocationId allocationId, NodeId nodeId, ClaimMode mode, RequestedCapability capability) {
        return new Builder(allocationId, nodeId, mode, capability);
    }

    /** Returns a builder that begins with the values of this object. */
    public Builder toBuilder() {
        Builder builder = new Builder(allocationId, nodeId, mode, capability);
        builder.externalNodeId = externalNodeId;
        builder.mountOptions = mountOptions;
        builder.state = state;
        builder.createIndex = createIndex;
        builder.takenIndex = takenIndex;
        builder.retry = retry;
        builder.operatorOverride = operatorOverride;
        builder.formerVolume = formerVolume;
        builder.adopted = adopted;
        return builder;
    }

    /**
     * Returns whether the volume is no longer mounted or staged on the node for this claim. True from the state
     * NODE_DETACHED on, and after an operator's override.
     */
    public boolean nodeDetached() {
        return state.atLeast(ClaimState.NODE_DETACHED) || operatorOverride.isPresent();
    }

    @Override
    public String toString() {
        return "Claim[allocationId=" + allocationId + ", nodeId=" + nodeId + ", externalNodeId=" + externalNodeId
                + ", mode=" + mode + ", capability=" + capability + ", state=" + state + ", createIndex="
                + createIndex + ", takenIndex=" + takenIndex + ", retry=" + retry + ", overridden="
                + operatorOverride.isPresent() + ", formerVolume=" + formerVolume
                + (adopted ? ", adopted" : "") + "]";
    }

    /** Builds {@link Claim}s. Not thread-safe. */
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
        private Optional<VolumeKey> formerVolume = Optional.empty();
        private boolean adopted;

        private Builder(AllocationId allocationId, NodeId nodeId, ClaimMode mode, RequestedCapability capability) {
            this.allocationId = Objects.requireNonNull(allocationId, "allocationId");
            this.nodeId = Objects.requireNonNull(nodeId, "nodeId");
            this.mode = Objects.requireNonNull(mode, "mode");
            this.capability = Objects.requireNonNull(capability, "capability");
        }

        /** Sets the storage provider's id of the node; null if not known. */
        public Builder externalNodeId(@Nullable ExternalNodeId externalNodeId) {
            this.externalNodeId = Optional.ofNullable(externalNodeId);
            return this;
        }

        /** Sets the mount options that the allocation requested. */
        public Builder mountOptions(MountOptions mountOptions) {
            this.mountOptions = Objects.requireNonNull(mountOptions, "mountOptions");
            return this;
        }

        /** Sets the state of the claim. Default: TAKEN. */
        public Builder state(ClaimState state) {
            this.state = Objects.requireNonNull(state, "state");
            return this;
        }

        /** Sets the index of the command that took the claim. */
        public Builder createIndex(long createIndex) {
            this.createIndex = createIndex;
            return this;
        }

        /**
         * Sets the index of the last command that requested the claim. Default: the index of the command that took it.
         */
        public Builder takenIndex(long takenIndex) {
            this.takenIndex = takenIndex;
            return this;
        }

        /** Sets the failed attempts at the current step. */
        public Builder retry(Retry retry) {
            this.retry = Objects.requireNonNull(retry, "retry");
            return this;
        }

        /**
         * Sets an operator's statement that the volume is no longer mounted or staged on the node; null if there is
         * none.
         */
        public Builder operatorOverride(@Nullable OperatorOverride operatorOverride) {
            this.operatorOverride = Optional.ofNullable(operatorOverride);
            return this;
        }

        /** Sets the key of the forgotten volume from which the claim was taken over; null if there is none. */
        public Builder formerVolume(@Nullable VolumeKey formerVolume) {
            this.formerVolume = Optional.ofNullable(formerVolume);
            return this;
        }

        /** Sets whether the claim was made from the report of a node. Default: false. */
        public Builder adopted(boolean adopted) {
            this.adopted = adopted;
            return this;
        }

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
                    operatorOverride,
                    formerVolume,
                    adopted);
        }
    }
}
