package io.csi4j.core.volume;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The claims on a volume, at most one per allocation, in the order of their allocations.
 *
 * <p>Immutable and persistent: {@link #with} and {@link #without} share all but a path of the tree
 * with what they came from, so a claim on a volume that has a thousand costs as much as on one that
 * has ten. What admission asks (readers, writers, nodes, states) is kept along the way.
 */
public final class Claims implements Iterable<Claim> {
    private static final Claims EMPTY = new Claims(null, null, null, 0, Tally.ZERO);

    private final @Nullable SortedTree<AllocationId, Claim> tree;
    /** The node of all claims, while they are on one: then this set is also the set of that node. */
    private final @Nullable NodeId onlyNode;
    /** The claims of each node, once they are on several. */
    private final @Nullable SortedTree<NodeId, Claims> nodes;

    private final int writerNodes;
    private final Tally tally;

    private Claims(
            @Nullable SortedTree<AllocationId, Claim> tree,
            @Nullable NodeId onlyNode,
            @Nullable SortedTree<NodeId, Claims> nodes,
            int writerNodes,
            Tally tally) {
        this.tree = tree;
        this.onlyNode = onlyNode;
        this.nodes = nodes;
        this.writerNodes = writerNodes;
        this.tally = tally;
    }

    /**
     * No claims.
     *
     * @return the empty set
     */
    public static Claims empty() {
        return EMPTY;
    }

    /**
     * The given claims. Of two of the same allocation the later one stays.
     *
     * @param claims in any order
     * @return the set
     */
    public static Claims of(Iterable<Claim> claims) {
        Claims set = EMPTY;
        for (Claim claim : claims) {
            set = set.with(claim);
        }
        return set;
    }

    /**
     * These claims and the given one, in place of what its allocation had.
     *
     * @param claim the claim
     * @return the new set
     */
    public Claims with(Claim claim) {
        SortedTree<AllocationId, Claim> newTree = SortedTree.put(tree, claim.allocationId(), claim);
        // Most claims are new: then the size tells, and nothing is looked for.
        Claim previous = SortedTree.size(newTree) == size() + 1 ? null : SortedTree.get(tree, claim.allocationId());
        if (previous != null && !previous.nodeId().equals(claim.nodeId())) {
            return without(claim.allocationId()).with(claim);
        }
        Tally newTally = (previous == null ? tally : tally.minus(previous)).plus(claim);
        NodeId node = claim.nodeId();
        if (nodes == null && (onlyNode == null || onlyNode.equals(node))) {
            return new Claims(newTree, node, null, newTally.writers() > 0 ? 1 : 0, newTally);
        }
        Claims before = on(node);
        Claims after = before.with(claim);
        SortedTree<NodeId, Claims> newNodes = SortedTree.put(nodesOrThis(), node, after);
        return new Claims(newTree, null, newNodes, writerNodes - before.writerNodes + after.writerNodes, newTally);
    }

    /**
     * These claims without the given allocation's.
     *
     * @param allocationId the allocation
     * @return the new set; this one if the allocation has no claim
     */
    public Claims without(AllocationId allocationId) {
        Claim claim = SortedTree.get(tree, allocationId);
        if (claim == null) {
            return this;
        }
        Tally newTally = tally.minus(claim);
        SortedTree<AllocationId, Claim> newTree = SortedTree.remove(tree, allocationId);
        if (newTree == null) {
            return EMPTY;
        }
        if (nodes == null) {
            return new Claims(newTree, onlyNode, null, newTally.writers() > 0 ? 1 : 0, newTally);
        }
        Claims before = on(claim.nodeId());
        Claims after = before.without(allocationId);
        SortedTree<NodeId, Claims> newNodes = after.isEmpty()
                ? SortedTree.remove(nodes, claim.nodeId())
                : SortedTree.put(nodes, claim.nodeId(), after);
        if (newNodes != null && SortedTree.size(newNodes) == 1) {
            return newNodes.value();
        }
        return new Claims(newTree, null, newNodes, writerNodes - before.writerNodes + after.writerNodes, newTally);
    }

    private @Nullable SortedTree<NodeId, Claims> nodesOrThis() {
        return nodes == null && onlyNode != null ? SortedTree.put(null, onlyNode, this) : nodes;
    }

    /**
     * The claim of an allocation.
     *
     * @param allocationId the allocation
     * @return its claim; empty: it has none
     */
    public Optional<Claim> get(AllocationId allocationId) {
        return Optional.ofNullable(SortedTree.get(tree, allocationId));
    }

    /**
     * The claims of the allocations on a node.
     *
     * @param nodeId the node
     * @return possibly empty
     */
    public Claims on(NodeId nodeId) {
        if (nodes == null) {
            return nodeId.equals(onlyNode) ? this : EMPTY;
        }
        Claims claims = SortedTree.get(nodes, nodeId);
        return claims == null ? EMPTY : claims;
    }

    /**
     * How many claims there are.
     *
     * @return 0 or more
     */
    public int size() {
        return SortedTree.size(tree);
    }

    /**
     * Whether there are none.
     *
     * @return true if empty
     */
    public boolean isEmpty() {
        return tree == null;
    }

    /**
     * How many of them read.
     *
     * @return 0 or more
     */
    public int readers() {
        return tally.readers();
    }

    /**
     * How many of them write.
     *
     * @return 0 or more
     */
    public int writers() {
        return tally.writers();
    }

    /**
     * How many are in a state.
     *
     * @param state the state
     * @return 0 or more
     */
    public int count(ClaimState state) {
        return tally.in(state);
    }

    /**
     * Of how many something may be left on the node: neither detached nor overridden (I3).
     *
     * @return 0 or more
     */
    public int notNodeDetached() {
        return tally.onNode();
    }

    /**
     * How many have mount options of their own, on top of the volume's.
     *
     * @return 0 or more
     */
    public int withMountOptions() {
        return tally.withMountOptions();
    }

    /**
     * On how many nodes they are.
     *
     * @return 0 or more
     */
    public int nodeCount() {
        return nodes == null ? (onlyNode == null ? 0 : 1) : SortedTree.size(nodes);
    }

    /**
     * On how many nodes one of them writes.
     *
     * @return 0 or more
     */
    public int writerNodeCount() {
        return writerNodes;
    }

    /**
     * The nodes they are on.
     *
     * @return in order
     */
    public List<NodeId> nodeIds() {
        if (nodes == null) {
            return onlyNode == null ? List.of() : List.of(onlyNode);
        }
        List<NodeId> ids = new ArrayList<>(SortedTree.size(nodes));
        SortedTree.entries(nodes).forEachRemaining(entry -> ids.add(entry.key()));
        return List.copyOf(ids);
    }

    /**
     * How the volume is used now: all claims agree on it.
     *
     * @return empty while there are no claims
     */
    public Optional<RequestedCapability> capability() {
        return tree == null
                ? Optional.empty()
                : Optional.of(SortedTree.first(tree).value().capability());
    }

    /**
     * Who holds the claims.
     *
     * @return in the order of the allocations
     */
    public List<Holder> holders() {
        List<Holder> holders = new ArrayList<>(size());
        for (Claim claim : this) {
            holders.add(Holder.of(claim));
        }
        return List.copyOf(holders);
    }

    /**
     * Tells what differs from an earlier version. Costs about as much as the change did: what both
     * share is not walked.
     *
     * @param earlier the version to compare with
     * @param visitor is told every difference, in order
     */
    public void changesSince(Claims earlier, ChangeVisitor<Claim> visitor) {
        SortedTree.changes(earlier.tree, tree, visitor);
    }

    @Override
    public Iterator<Claim> iterator() {
        return SortedTree.values(tree);
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Claims that) || size() != that.size()) {
            return false;
        }
        Iterator<Claim> theirs = that.iterator();
        for (Claim mine : this) {
            if (!mine.equals(theirs.next())) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (Claim claim : this) {
            hash = 31 * hash + claim.hashCode();
        }
        return hash;
    }

    @Override
    public String toString() {
        return "Claims[size=" + size() + ", readers=" + readers() + ", writers=" + writers() + ", nodes=" + nodeCount()
                + "]";
    }
}
