package io.csi4j.core.internal.apply;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Expansion;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import java.util.Optional;

/** Finds the part of an expansion on the node of a claim. */
final class NodeExpansions {
    private NodeExpansions() {}

    /** The part of an expansion that the node of a claim still has to do. */
    record Due(Expansion expansion, Claim claim) {
        /** Returns the failed attempts so far. */
        Retry retry() {
            return expansion.of(claim).map(Expansion.OnNode::retry).orElse(Retry.none());
        }

        /** Returns the expansion with the result of this part. */
        Expansion with(Expansion.OnNode result) {
            return expansion.onNode(claim, result);
        }
    }

    /**
     * Returns the part of a claim. Returns empty if the node has done it already or has refused it, because the command
     * is then a repetition, and if the claim is being released, because its progress is not kept, see
     * {@code Expansion.remaining}.
     */
    static Optional<Due> due(Volume volume, AllocationId allocationId, long claimIndex, CapacityRange range) {
        return volume.expansionTo(range, Expansion.Stage.NODES)
                .flatMap(expansion -> volume.claims()
                        .get(allocationId)
                        .filter(held -> held.createIndex() == claimIndex && held.state() == ClaimState.TAKEN)
                        .filter(held -> expansion
                                .of(held)
                                .filter(part -> part.done() || part.retry().refused())
                                .isEmpty())
                        .map(held -> new Due(expansion, held)));
    }
}
