package io.csi4j.core.internal.plan;

import io.csi4j.core.id.NodeId;
import java.util.Set;

/**
 * The calls that this engine has in flight for one volume. A call that an earlier process or another leader has sent is
 * not among them.
 *
 * @param volume whether a call about the volume itself is in flight: create, delete, expand or modify
 * @param controller the nodes for which ControllerPublishVolume or ControllerUnpublishVolume is in flight
 * @param node the nodes on which an unmount or an expansion of the volume is in flight
 */
public record InFlightSnapshot(boolean volume, Set<NodeId> controller, Set<NodeId> node) {
    private static final InFlightSnapshot NONE = new InFlightSnapshot(false, Set.of(), Set.of());

    public InFlightSnapshot {
        controller = Set.copyOf(controller);
        node = Set.copyOf(node);
    }

    /** Returns whether no call is in flight. */
    public boolean isEmpty() {
        return !volume && controller.isEmpty() && node.isEmpty();
    }

    /** Returns a snapshot without calls. */
    public static InFlightSnapshot none() {
        return NONE;
    }
}
