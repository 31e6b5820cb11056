package io.csi4j.core.volume;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/**
 * An allocation with a claim on a volume, for example one that blocks another claim.
 *
 * @param allocationId the allocation
 * @param nodeId the node of the allocation
 * @param mode whether the allocation reads or writes
 * @param state the state of its claim
 */
public record Holder(AllocationId allocationId, NodeId nodeId, ClaimMode mode, ClaimState state) {
    private static final int MAX_DISPLAYED = 5;

    public Holder {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(mode, "mode");
        Objects.requireNonNull(state, "state");
    }

    /** Returns the allocation of a claim as a holder. */
    public static Holder of(Claim claim) {
        return new Holder(claim.allocationId(), claim.nodeId(), claim.mode(), claim.state());
    }

    /**
     * Returns a text for operators that lists the first few holders.
     *
     * @return for example {@code allocation a1 on node n1 (WRITE, TAKEN) and 3 more}
     */
    public static String list(List<Holder> holders) {
        String named =
                holders.stream().limit(MAX_DISPLAYED).map(Holder::toString).collect(Collectors.joining(", "));
        return holders.size() <= MAX_DISPLAYED ? named : named + " and " + (holders.size() - MAX_DISPLAYED) + " more";
    }

    @Override
    public String toString() {
        return "allocation " + allocationId + " on node " + nodeId + " (" + mode + ", " + state + ")";
    }
}
