package io.csi4j.core.volume;

import io.csi4j.core.id.NodeId;
import java.util.Iterator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The attachments of a volume, at most one per node, in the order of their nodes. Immutable and
 * persistent, like {@link Claims}.
 */
public final class Attachments implements Iterable<Attachment> {
    private static final Attachments EMPTY = new Attachments(null, 0);

    private final @Nullable SortedTree<NodeId, Attachment> tree;
    private final int unsettled;

    private Attachments(@Nullable SortedTree<NodeId, Attachment> tree, int unsettled) {
        this.tree = tree;
        this.unsettled = unsettled;
    }

    /**
     * No attachments.
     *
     * @return the empty set
     */
    public static Attachments empty() {
        return EMPTY;
    }

    /**
     * The given attachments. Of two of the same node the later one stays.
     *
     * @param attachments in any order
     * @return the set
     */
    public static Attachments of(Iterable<Attachment> attachments) {
        Attachments set = EMPTY;
        for (Attachment attachment : attachments) {
            set = set.with(attachment);
        }
        return set;
    }

    /**
     * These attachments and the given one, in place of what its node had.
     *
     * @param attachment the attachment
     * @return the new set
     */
    public Attachments with(Attachment attachment) {
        Attachment previous = SortedTree.get(tree, attachment.nodeId());
        return new Attachments(
                SortedTree.put(tree, attachment.nodeId(), attachment),
                unsettled - (previous == null ? 0 : unsettled(previous)) + unsettled(attachment));
    }

    /**
     * These attachments without the given node's.
     *
     * @param nodeId the node
     * @return the new set; this one if the node has none
     */
    public Attachments without(NodeId nodeId) {
        Attachment previous = SortedTree.get(tree, nodeId);
        if (previous == null) {
            return this;
        }
        SortedTree<NodeId, Attachment> shorter = SortedTree.remove(tree, nodeId);
        return shorter == null ? EMPTY : new Attachments(shorter, unsettled - unsettled(previous));
    }

    private static int unsettled(Attachment attachment) {
        return attachment.state() == AttachmentState.PUBLISHED ? 0 : 1;
    }

    /**
     * The attachment on a node.
     *
     * @param nodeId the node
     * @return empty: there is none
     */
    public Optional<Attachment> on(NodeId nodeId) {
        return Optional.ofNullable(SortedTree.get(tree, nodeId));
    }

    /**
     * How many there are.
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
     * How many are not PUBLISHED: a call has to be made, or made again.
     *
     * @return 0 or more
     */
    public int unsettled() {
        return unsettled;
    }

    /**
     * Tells what differs from an earlier version. Costs about as much as the change did: what both
     * share is not walked.
     *
     * @param earlier the version to compare with
     * @param visitor is told every difference, in order
     */
    public void changesSince(Attachments earlier, ChangeVisitor<Attachment> visitor) {
        SortedTree.changes(earlier.tree, tree, visitor);
    }

    @Override
    public Iterator<Attachment> iterator() {
        return SortedTree.values(tree);
    }

    @Override
    public boolean equals(Object other) {
        if (!(other instanceof Attachments that) || size() != that.size()) {
            return false;
        }
        Iterator<Attachment> theirs = that.iterator();
        for (Attachment mine : this) {
            if (!mine.equals(theirs.next())) {
                return false;
            }
        }
        return true;
    }

    @Override
    public int hashCode() {
        int hash = 1;
        for (Attachment attachment : this) {
            hash = 31 * hash + attachment.hashCode();
        }
        return hash;
    }

    @Override
    public String toString() {
        return "Attachments[size=" + size() + ", unsettled=" + unsettled + "]";
    }
}
