package io.csi4j.state;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumePhase;
import io.csi4j.proto.state.v1.StateProto;
import io.csi4j.state.internal.tree.Tree;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Converts a volume of format 1, in which claims were sets of allocations and the mode was a field of the volume. No claim is dropped: each
 * allocation keeps its claim, which is released in the ordinary way.
 */
final class FormatRepair {
    static final int OLDEST = 1;
    static final int PRESENT = 3;

    /** The node id for a claim that has no node and whose allocation is unknown. */
    private static final String UNKNOWN_NODE = "unknown";

    private final Tree<AllocationId, Allocation> allocations;

    FormatRepair(Tree<AllocationId, Allocation> allocations) {
        this.allocations = allocations;
    }

    StateProto.Volume repair(StateProto.Volume old) {
        StateProto.Volume.Builder volume = old.toBuilder()
                .clearCurrentCapability()
                .clearReadingAllocations()
                .clearWritingAllocations();
        if (old.getOrigin().isEmpty()) {
            volume.setOrigin(VolumeOrigin.REGISTERED.name());
        }
        if (old.getPhase().isEmpty()) {
            volume.setPhase(VolumePhase.AVAILABLE.name());
        }
        StateProto.Capability inUse = inUse(old);
        if (inUse != null && old.getSpec().getRequestedCapabilitiesCount() == 0) {
            volume.getSpecBuilder().addRequestedCapabilities(inUse);
        }
        Set<String> claimed = new HashSet<>();
        for (StateProto.Claim.Builder claim : volume.getClaimsBuilderList()) {
            complete(claim, inUse, old);
            claimed.add(claim.getAllocationId());
        }
        // Adds the writing allocations first, so that an allocation that is also in the list of readers counts as a
        // writer.
        synthesise(volume, old.getWritingAllocationsList(), ClaimMode.WRITE, claimed, inUse, old);
        synthesise(volume, old.getReadingAllocationsList(), ClaimMode.READ, claimed, inUse, old);
        return volume.build();
    }

    /**
     * Returns the capability with which the volume is used: from the volume's own field, from a claim, or else the only requested
     * capability.
     */
    private static StateProto.@Nullable Capability inUse(StateProto.Volume old) {
        if (old.hasCurrentCapability()) {
            return old.getCurrentCapability();
        }
        for (StateProto.Claim claim : old.getClaimsList()) {
            if (claim.hasCapability()) {
                return claim.getCapability();
            }
        }
        return old.getSpec().getRequestedCapabilitiesCount() > 0 ? old.getSpec().getRequestedCapabilities(0) : null;
    }

    private void synthesise(
            StateProto.Volume.Builder volume,
            List<String> allocationIds,
            ClaimMode mode,
            Set<String> claimed,
            StateProto.@Nullable Capability inUse,
            StateProto.Volume old) {
        for (String allocationId : allocationIds) {
            if (claimed.add(allocationId)) {
                complete(volume.addClaimsBuilder().setAllocationId(allocationId).setMode(mode.name()), inUse, old);
            }
        }
    }

    private void complete(
            StateProto.Claim.Builder claim, StateProto.@Nullable Capability inUse, StateProto.Volume old) {
        Allocation allocation = allocations.get(AllocationId.of(claim.getAllocationId()));
        if (claim.getNodeId().isEmpty()) {
            claim.setNodeId(
                    allocation == null ? UNKNOWN_NODE : allocation.nodeId().value());
        }
        if (!claim.hasCapability()) {
            if (inUse == null) {
                throw new IllegalArgumentException("volume " + old.getNamespace() + "/" + old.getVolumeId()
                        + " is claimed by allocation " + claim.getAllocationId()
                        + ", and nothing says how it is used; add its capabilities before it is restored");
            }
            claim.setCapability(inUse);
        }
        if (claim.getState().isEmpty() || claim.getState().equals(ClaimState.TAKEN.name())) {
            // Starts the release of a claim whose allocation has ended: the end was reported before this state was
            // written, and no second report will come.
            boolean ended = allocation == null || allocation.ended();
            claim.setState((ended ? ClaimState.UNPUBLISHING : ClaimState.TAKEN).name());
        }
        if (claim.getMode().isEmpty()) {
            // Treats an unknown mode as writing, because a writer excludes the most other claims.
            claim.setMode(ClaimMode.WRITE.name());
        }
        if (claim.getCreateIndex() == 0) {
            claim.setCreateIndex(old.getModifyIndex());
        }
    }
}
