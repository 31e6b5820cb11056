package io.csi4j.core.internal.plan;

import io.csi4j.core.id.NodeId;
import java.util.Set;

/**
 * The calls for one volume in flight. A call of an earlier process or leader is not among them.
 *
 * @param volume whether a call about the volume itself is in flight: create, delete, expand, modify, snapshot
 * @param controller the nodes with a controller publish or unpublish in flight
 * @param node the nodes with a detach in flight
 */
public record InFlightSnapshot(boolean volume, Set<NodeId> controller, Set<NodeId> node) {
    private static final InFlightSnapshot NONE = new InFlightSnapshot(false, Set.of(), Set.of());

    /** Copies the sets. */
    public InFlightSnapshot {
        controller = Set.copyOf(controller);
        node = Set.copyOf(node);
    }

    /** Returns the value without calls. */
    public static InFlightSnapshot none() {
        return NONE;
    }
}
