package io.csi4j.core.cluster;

import java.util.Objects;

/**
 * What the state knows about the ledger of a node.
 *
 * @param missingSince the index of the command since which the node has to report its ledger; 0: the state has the
 *     report, or needs none
 * @param unclaimed the part of the last report that no claim represents: uses of volumes that the state does not have,
 *     and volumes without a known user. No volume of it is detached from the node or claimed elsewhere
 */
public record NodeLedger(long missingSince, LedgerReport unclaimed) {
    private static final NodeLedger SETTLED = new NodeLedger(0, LedgerReport.empty());

    public NodeLedger {
        Objects.requireNonNull(unclaimed, "unclaimed");
    }

    /** Returns the value for a node whose claims represent everything that the node has mounted. */
    public static NodeLedger settled() {
        return SETTLED;
    }

    /** Returns whether the node still has to report its ledger. */
    public boolean missing() {
        return missingSince > 0;
    }

    /** Returns whether the claims of the state represent everything that the node has mounted. */
    public boolean isSettled() {
        return !missing() && unclaimed.isEmpty();
    }
}
