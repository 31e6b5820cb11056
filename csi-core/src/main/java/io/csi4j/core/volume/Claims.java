package io.csi4j.core.volume;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The claims on a volume, at most one per allocation, in the order of their allocations.
 *
 * <p>Immutable and persistent: the claims form a tree, and {@link #with} and {@link #without} copy only the path to the
 * changed claim. So a new claim costs about the same on a volume with a thousand claims as on one with ten. The counts
 * that admission needs (readers, writers, nodes, states) are stored with the tree.
 */
public final class Claims implements Iterable<Claim> {
    private static final Claims EMPTY = new Claims(null, null, null, 0, Tally.ZERO);

    private final @Nullable SortedTree<AllocationId, Claim> tree;
    /** The node that all claims have in common; null if the claims are on several nodes. */
    private final @Nullable NodeId onlyNode;
    /** The claims by node, if they are on several nodes; null otherwise. */
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

    /** Returns a collection without elements. */
    public static Claims empty() {
        return EMPTY;
    }

    /** Returns a collection with these claims. If two claims are of the same allocation, the later one is kept. */
    public static Claims of(Iterable<Claim> claims) {
        Claims set = EMPTY;
        for (Claim claim : claims) {
            set = set.with(claim);
        }
        return set;
    }

    /** Returns this collection with one more claim, which replaces an existing claim of the same allocation. */
    public Claims with(Claim claim) {
        SortedTree<AllocationId, Claim> newTree = SortedTree.put(tree, claim.allocationId(), claim);
        // Searches the allocation's previous claim only if the tree has not grown. Usually the tree has grown, because
        // the allocation had no claim.
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

    /** Returns this collection without the claim of an allocation. */
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

    /** Returns the claim of an allocation; empty if there is none. */
    public Optional<Claim> get(AllocationId allocationId) {
        return Optional.ofNullable(SortedTree.get(tree, allocationId));
    }

    /**
     * Returns the current version of a claim; empty if the claim is gone, even if its allocation has a newer claim.
     *
     * @param claim a claim that was read before
     */
    public Optional<Claim> same(Claim claim) {
        return get(claim.allocationId()).filter(now -> now.createIndex() == claim.createIndex());
    }

    /**
     * Returns the current version of a claim that is still held; empty if its release has begun, or the claim is gone,
     * even if its allocation has a newer claim.
     *
     * @param claim a claim that was read before
     */
    public Optional<Claim> held(Claim claim) {
        return same(claim).filter(now -> now.state() == ClaimState.TAKEN);
    }

    /** Returns the claims of the allocations on a node. */
    public Claims on(NodeId nodeId) {
        if (nodes == null) {
            return nodeId.equals(onlyNode) ? this : EMPTY;
        }
        Claims claims = SortedTree.get(nodes, nodeId);
        return claims == null ? EMPTY : claims;
    }

    public int size() {
        return SortedTree.size(tree);
    }

    public boolean isEmpty() {
        return tree == null;
    }

    /** Returns the number of reading claims. */
    public int readers() {
        return tally.readers();
    }

    /** Returns the number of writing claims. */
    public int writers() {
        return tally.writers();
    }

    /** Returns the number of claims in a state. */
    public int count(ClaimState state) {
        return tally.in(state);
    }

    /** Returns the number of claims for which the volume may still be mounted or staged on the node. */
    public int notNodeDetached() {
        return tally.onNode();
    }

    /** Returns the number of claims with mount options that override those of the volume. */
    public int withMountOptions() {
        return tally.withMountOptions();
    }

    /** Returns the number of claims that were taken over from a forgotten volume ({@link Leftover}). */
    public int takenOver() {
        return tally.takenOver();
    }

    /** Returns the number of nodes with claims. */
    public int nodeCount() {
        return nodes == null ? (onlyNode == null ? 0 : 1) : SortedTree.size(nodes);
    }

    /** Returns the number of nodes with writing claims. */
    public int writerNodeCount() {
        return writerNodes;
    }

    /** Returns the nodes with claims, in order. */
    public List<NodeId> nodeIds() {
        if (nodes == null) {
            return onlyNode == null ? List.of() : List.of(onlyNode);
        }
        List<NodeId> ids = new ArrayList<>(SortedTree.size(nodes));
        SortedTree.entries(nodes).forEachRemaining(entry -> ids.add(entry.key()));
        return List.copyOf(ids);
    }

    /** Returns the number of claims that were made of what a node has mounted. */
    public int adopted() {
        return tally.adopted();
    }

    /**
     * Returns the capability with which the volume is used now. All its claims have the same one, unless some are
     * {@linkplain #adopted() adopted}: then it is that of the first claim. Empty if there are no claims.
     */
    public Optional<RequestedCapability> capability() {
        return tree == null
                ? Optional.empty()
                : Optional.of(SortedTree.first(tree).value().capability());
    }

    /** Returns the allocations with their claims, in order. */
    public List<Holder> holders() {
        List<Holder> holders = new ArrayList<>(size());
        for (Claim claim : this) {
            holders.add(Holder.of(claim));
        }
        return List.copyOf(holders);
    }

    /**
     * Reports the differences between an earlier version of this collection and this one. The cost depends on the
     * number of differences, because parts that both versions share are skipped.
     *
     * @param earlier the version to compare with
     * @param visitor gets every difference, in order: the element before, null if it is new, and after, null if it was removed
     */
    public void changesSince(Claims earlier, BiConsumer<@Nullable Claim, @Nullable Claim> visitor) {
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
