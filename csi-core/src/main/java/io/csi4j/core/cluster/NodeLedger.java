package io.csi4j.core.cluster;

import io.csi4j.core.volume.Volume;
import java.util.List;

/**
 * The state's knowledge about the ledger of a node.
 *
 * @param missingSince the index of the command since which the node has to report its ledger; 0: the state has the
 *     report, or needs none
 * @param unclaimed the parts of the last reports that no claim represents: uses of volumes that the state does not have,
 *     volumes without a known user, and uses of a machine that is not the present one. There is one report for each
 *     machine. No volume of them is detached from the node or claimed elsewhere
 */
public record NodeLedger(long missingSince, List<LedgerReport> unclaimed) {
    private static final NodeLedger SETTLED = new NodeLedger(0, List.of());

    /** Copies the list, without reports that name nothing. */
    public NodeLedger {
        unclaimed = unclaimed.stream().filter(report -> !report.isEmpty()).toList();
    }

    /** Returns the value for a node whose claims represent everything that the node has mounted. */
    public static NodeLedger settled() {
        return SETTLED;
    }

    /** Returns the value for a node that still has to report its ledger. */
    public static NodeLedger missingSince(long index) {
        return new NodeLedger(index, List.of());
    }

    /** Returns whether the node still has to report its ledger. */
    public boolean missing() {
        return missingSince > 0;
    }

    /** Returns whether the claims of the state represent everything that the node has mounted. */
    public boolean isSettled() {
        return !missing() && unclaimed.isEmpty();
    }

    /** Returns whether the node may use a volume without a claim. */
    public boolean mayUse(Volume volume) {
        return missing() || unclaimed.stream().anyMatch(report -> report.names(volume));
    }
}
