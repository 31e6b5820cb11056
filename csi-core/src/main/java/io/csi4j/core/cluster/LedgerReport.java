package io.csi4j.core.cluster;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeUse;
import java.util.List;

/**
 * What a node has mounted, and for whom: all of it, at one time, from the ledger of the node.
 *
 * @param uses the uses of volumes by allocations
 * @param unclear the volumes that may be mounted or staged on the node although the ledger names no allocation for them
 */
public record LedgerReport(List<VolumeUse> uses, List<VolumeKey> unclear) {
    private static final LedgerReport EMPTY = new LedgerReport(List.of(), List.of());

    /** Copies the lists. */
    public LedgerReport {
        uses = List.copyOf(uses);
        unclear = List.copyOf(unclear);
    }

    /** Returns the report of a node on which nothing is mounted. */
    public static LedgerReport empty() {
        return EMPTY;
    }

    public boolean isEmpty() {
        return uses.isEmpty() && unclear.isEmpty();
    }

    /** Returns whether the report names a volume. */
    public boolean names(Volume volume) {
        return unclear.contains(volume.key()) || uses.stream().anyMatch(use -> use.isOf(volume));
    }
}
