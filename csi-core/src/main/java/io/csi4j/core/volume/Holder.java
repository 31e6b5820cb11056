package io.csi4j.core.volume;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * Who stands in the way: an allocation with its claim.
 *
 * @param allocationId the allocation
 * @param nodeId where it is
 * @param mode what it does with the volume
 * @param state how far its release has come
 */
public record Holder(AllocationId allocationId, NodeId nodeId, ClaimMode mode, ClaimState state) {
    private static final int SHOWN = 5;

    /** Checks that all parts are there. */
    public Holder {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(state, "state");
    }

    /**
     * The holder of a claim.
     *
     * @param claim the claim
     * @return who holds it
     */
    public static Holder of(Claim claim) {
        return new Holder(claim.allocationId(), claim.nodeId(), claim.mode(), claim.state());
    }

    /**
     * The holders as an operator reads them, the first few by name.
     *
     * @param holders any number
     * @return for example {@code allocation a1 on node n1 (WRITE, TAKEN) and 3 more}
     */
    public static String list(List<Holder> holders) {
        String named = holders.stream().limit(SHOWN).map(Holder::toString).collect(Collectors.joining(", "));
        return holders.size() <= SHOWN ? named : named + " and " + (holders.size() - SHOWN) + " more";
    }

    @Override
    public String toString() {
        return "allocation " + allocationId + " on node " + nodeId + " (" + mode + ", " + state + ")";
    }
}
