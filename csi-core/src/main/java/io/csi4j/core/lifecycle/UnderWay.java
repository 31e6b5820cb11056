package io.csi4j.core.lifecycle;

import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plan.CallsUnderWay;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * The calls of this engine that have not ended, by volume. They outlive a term: whoever leads here again
 * has to know of them (I4). Safe for use by many threads.
 */
final class UnderWay {
    private final Map<VolumeKey, CallsUnderWay> calls = new HashMap<>();

    synchronized CallsUnderWay of(VolumeKey key) {
        return calls.getOrDefault(key, CallsUnderWay.none());
    }

    synchronized int volumes() {
        return calls.size();
    }

    /** What a call is about. */
    enum Side {
        VOLUME,
        CONTROLLER,
        NODE
    }

    /**
     * Counts a call, unless there is one of the same kind already. Two turns may begin at once, each with a plan
     * that knows nothing of the other's: the last one of a term, and the first one of the next.
     */
    synchronized boolean begin(VolumeKey key, Side side, NodeId nodeId) {
        CallsUnderWay before = of(key);
        change(key, side, nodeId, true);
        return !of(key).equals(before);
    }

    void end(VolumeKey key, Side side, NodeId nodeId) {
        change(key, side, nodeId, false);
    }

    private synchronized void change(VolumeKey key, Side side, NodeId nodeId, boolean on) {
        CallsUnderWay before = of(key);
        CallsUnderWay after = switch (side) {
            case VOLUME -> new CallsUnderWay(on, before.controller(), before.node());
            case CONTROLLER -> new CallsUnderWay(before.volume(), with(before.controller(), nodeId, on), before.node());
            case NODE -> new CallsUnderWay(before.volume(), before.controller(), with(before.node(), nodeId, on));
        };
        if (after.equals(CallsUnderWay.none())) {
            calls.remove(key);
        } else {
            calls.put(key, after);
        }
    }

    private static Set<NodeId> with(Set<NodeId> nodeIds, NodeId nodeId, boolean on) {
        Set<NodeId> changed = new HashSet<>(nodeIds);
        if (on) {
            changed.add(nodeId);
        } else {
            changed.remove(nodeId);
        }
        return changed;
    }
}
