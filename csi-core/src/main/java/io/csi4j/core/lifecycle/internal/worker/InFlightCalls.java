package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.plan.InFlightSnapshot;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The calls of this engine in flight, by volume. They are kept when a term of leadership ends: an engine that leads
 * again must not send them a second time while they are in flight. Thread-safe.
 */
public final class InFlightCalls {
    private final Map<VolumeKey, InFlightSnapshot> calls = new HashMap<>();

    public synchronized InFlightSnapshot of(VolumeKey key) {
        return calls.getOrDefault(key, InFlightSnapshot.none());
    }

    public synchronized int volumes() {
        return calls.size();
    }

    /** The kind of object that a call is about. */
    enum Side {
        VOLUME,
        CONTROLLER,
        NODE;

        static Side of(Rpc rpc) {
            return switch (rpc) {
                case CREATE_VOLUME, DELETE_VOLUME, CONTROLLER_EXPAND_VOLUME, CONTROLLER_MODIFY_VOLUME -> VOLUME;
                case CONTROLLER_PUBLISH_VOLUME, CONTROLLER_UNPUBLISH_VOLUME -> CONTROLLER;
                case NODE_UNPUBLISH_VOLUME, NODE_EXPAND_VOLUME -> NODE;
                default -> throw new IllegalArgumentException(rpc + " is not a planned call");
            };
        }
    }

    /**
     * Adds a call, and returns false if a call of the same kind is in flight already. At a change of leadership, the
     * last plan of the old term and the first plan of the new term may both try to begin the same call.
     */
    synchronized boolean begin(VolumeKey key, Side side, NodeId nodeId) {
        InFlightSnapshot before = of(key);
        boolean there = switch (side) {
            case VOLUME -> before.volume();
            case CONTROLLER -> before.controller().contains(nodeId);
            case NODE -> before.node().contains(nodeId);
        };
        if (!there) {
            calls.put(key, changed(before, side, nodeId, true));
        }
        return !there;
    }

    synchronized void end(VolumeKey key, Side side, NodeId nodeId) {
        InFlightSnapshot after = changed(of(key), side, nodeId, false);
        if (after.equals(InFlightSnapshot.none())) {
            calls.remove(key);
        } else {
            calls.put(key, after);
        }
    }

    /** Returns the calls in flight except the given one, which has ended. */
    static InFlightSnapshot without(InFlightSnapshot calls, Side side, NodeId nodeId) {
        return changed(calls, side, nodeId, false);
    }

    private static InFlightSnapshot changed(InFlightSnapshot before, Side side, NodeId nodeId, boolean on) {
        return switch (side) {
            case VOLUME -> new InFlightSnapshot(on, before.controller(), before.node());
            case CONTROLLER ->
                new InFlightSnapshot(before.volume(), with(before.controller(), nodeId, on), before.node());
            case NODE -> new InFlightSnapshot(before.volume(), before.controller(), with(before.node(), nodeId, on));
        };
    }

    private static Set<NodeId> with(Set<NodeId> nodeIds, NodeId nodeId, boolean on) {
        if (nodeIds.contains(nodeId) == on) {
            return nodeIds;
        }
        if (nodeIds.size() == (on ? 0 : 1)) {
            return on ? Set.of(nodeId) : Set.of();
        }
        Set<NodeId> changed = new HashSet<>(nodeIds);
        if (on) {
            changed.add(nodeId);
        } else {
            changed.remove(nodeId);
        }
        return changed;
    }
}
