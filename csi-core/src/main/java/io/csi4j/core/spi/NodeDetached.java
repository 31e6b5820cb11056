package io.csi4j.core.spi;

import io.csi4j.core.volume.VolumeUse;
import java.util.List;
import java.util.Optional;

/**
 * The answer of a node to {@link NodeDetach}: the volume is not mounted for the allocation.
 *
 * @param otherUses the uses of the volume by other allocations that the node still has, from its ledger. The engine makes
 *     claims of those that the state has lost. Empty optional: the node cannot say, for example because its agent is
 *     older
 */
public record NodeDetached(Optional<List<VolumeUse>> otherUses) {
    private static final NodeDetached UNKNOWN = new NodeDetached(Optional.empty());

    /** Copies the list. */
    public NodeDetached {
        otherUses = otherUses.map(List::copyOf);
    }

    /** Returns the answer of a node that knows its other uses. */
    public static NodeDetached withOthers(List<VolumeUse> otherUses) {
        return new NodeDetached(Optional.of(otherUses));
    }

    /** Returns the answer of a node that cannot say who else uses the volume. */
    public static NodeDetached othersUnknown() {
        return UNKNOWN;
    }
}
