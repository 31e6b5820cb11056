package io.csi4j.core.placement;

import io.csi4j.core.internal.capacity.CapacityRule;
import java.util.List;
import java.util.Objects;
import java.util.OptionalLong;

/**
 * The answer for a node, with the values by which {@link FeasibleNodes#ranked} orders nodes.
 *
 * @param answer whether the allocation could claim its volumes on the node
 * @param freeBytes the capacity that stays free with the volumes that the claim makes, in bytes, where the least stays free;
 *     negative if they are larger than the known capacity; empty if it is not known for one of them, or the claim makes none
 * @param unlikely whether one of these volumes does not fit by the last answer of its plugin, however old it is, or the
 *     plugin has refused one of its size there. The node is feasible nevertheless, unless the class says REQUIRED
 * @param workloadVolumes the number of volumes of the workload or group that the node can reach and that lie in a topology; 0
 *     if the preference spreads none
 */
public record RankedNode(NodeAnswer answer, OptionalLong freeBytes, boolean unlikely, int workloadVolumes) {
    public RankedNode {
        Objects.requireNonNull(answer, "answer");
        Objects.requireNonNull(freeBytes, "freeBytes");
    }

    static RankedNode of(NodeAnswer answer, List<CapacityRule.Verdict> verdicts) {
        boolean known = !verdicts.isEmpty()
                && verdicts.stream().allMatch(verdict -> verdict.freeBytes().isPresent());
        return new RankedNode(
                answer,
                known
                        ? verdicts.stream()
                                .mapToLong(verdict -> verdict.freeBytes().getAsLong())
                                .min()
                        : OptionalLong.empty(),
                verdicts.stream().anyMatch(CapacityRule.Verdict::unlikely),
                0);
    }

    RankedNode with(int volumes) {
        return new RankedNode(answer, freeBytes, unlikely, volumes);
    }

    /** Returns 0 for a node that is feasible now, 1 for one that may be later, and 2 for others. */
    int rank() {
        if (answer.admitted()) {
            return 0;
        }
        return answer.never() || !answer.missing().isEmpty() ? 2 : 1;
    }
}
