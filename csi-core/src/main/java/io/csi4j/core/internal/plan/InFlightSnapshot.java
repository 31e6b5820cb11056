package io.csi4j.core.internal.plan;

import io.csi4j.core.id.NodeId;
import java.util.Set;

/**
 * The calls for one volume that have not ended. A call of which nobody waits for the end any more (after
 * a crash, or a change of leader) is not among them.
 *
 * @param volume whether one about the volume itself is under way: create, delete, expand, modify, snapshot
 * @param controller the nodes for which a controller publish or unpublish is under way
 * @param node the nodes on which a detach is under way
 */
public record InFlightSnapshot(boolean volume, Set<NodeId> controller, Set<NodeId> node) {
    private static final InFlightSnapshot NONE = new InFlightSnapshot(false, Set.of(), Set.of());

    /** Copies the sets. */
    public InFlightSnapshot {
        controller = Set.copyOf(controller);
        node = Set.copyOf(node);
    }

    /**
     * No call.
     *
     * @return the empty value
     */
    public static InFlightSnapshot none() {
        return NONE;
    }
}
