package io.csi4j.agent.internal.server;

import io.csi4j.agent.internal.wire.PeerLimitException;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.check.InputLimit;
import java.util.HashMap;
import java.util.Map;

/**
 * How much this server remembers for each node. It refuses what would exceed the limit of the node or of all nodes. Not
 * thread-safe.
 *
 * @param <K> the type of what is remembered
 */
final class NodeShares<K> {
    private final String what;
    private final InputLimit ofNode;
    private final InputLimit ofAll;
    private final Map<K, Share> shares = new HashMap<>();
    private final Map<NodeId, Integer> byNode = new HashMap<>();
    private int all;

    private record Share(NodeId node, int size) {}

    /**
     * Creates an empty share.
     *
     * @param what what is remembered, for messages
     */
    NodeShares(String what, InputLimit ofNode, InputLimit ofAll) {
        this.what = what;
        this.ofNode = ofNode;
        this.ofAll = ofAll;
    }

    /**
     * Adds something, in place of an earlier size of the same thing.
     *
     * @throws PeerLimitException if it would exceed a limit; nothing changes then
     */
    void put(K key, NodeId node, int size) {
        Share before = shares.get(key);
        int freed = before == null ? 0 : before.size();
        int freedOfNode = before != null && before.node().equals(node) ? freed : 0;
        check(what + " of node " + node, byNode.getOrDefault(node, 0) - freedOfNode + size, ofNode);
        check(what + " of all nodes", all - freed + size, ofAll);
        remove(key);
        shares.put(key, new Share(node, size));
        byNode.merge(node, size, Integer::sum);
        all += size;
    }

    private static void check(String what, int size, InputLimit limit) {
        if (limit.isExceededBy(size)) {
            throw new PeerLimitException(
                    "the sum of the " + what + " " + limit.problem(size) + "; this one is refused, repeat it later");
        }
    }

    void remove(K key) {
        Share share = shares.remove(key);
        if (share != null) {
            all -= share.size();
            byNode.computeIfPresent(share.node(), (node, size) -> size == share.size() ? null : size - share.size());
        }
    }

    void clear() {
        shares.clear();
        byNode.clear();
        all = 0;
    }
}
