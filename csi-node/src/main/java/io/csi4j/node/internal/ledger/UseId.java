package io.csi4j.node.internal.ledger;

import io.csi4j.core.id.AllocationId;
import java.util.Objects;

/**
 * The id of one mount of a volume for an allocation. An allocation may have several mounts of a volume, each at its own
 * target.
 *
 * @param number counts the allocation's mounts of the volume, from 0
 */
public record UseId(AllocationId allocationId, int number) {
    public UseId {
        Objects.requireNonNull(allocationId, "allocationId");
        if (number < 0) {
            throw new IllegalArgumentException("UseId: number is " + number + "; count mounts from 0");
        }
    }

    /** Returns the id of an allocation's first mount, which is usually the only one. */
    public static UseId first(AllocationId allocationId) {
        return new UseId(allocationId, 0);
    }
}
