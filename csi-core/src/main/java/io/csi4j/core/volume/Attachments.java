package io.csi4j.core.volume;

import io.csi4j.core.id.NodeId;
import java.util.Iterator;
import java.util.Optional;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The attachments of a volume, at most one per node, in the order of their nodes. Immutable: {@link #with} and
 * {@link #without} return a changed collection, which shares most of its data with this one.
 */
public final class Attachments implements Iterable<Attachment> {
    private static final Attachments EMPTY = new Attachments(null, 0, 0);

    private final @Nullable SortedTree<NodeId, Attachment> tree;
    private final int publishing;
    private final int unpublishing;

    private Attachments(@Nullable SortedTree<NodeId, Attachment> tree, int publishing, int unpublishing) {
        this.tree = tree;
        this.publishing = publishing;
        this.unpublishing = unpublishing;
    }

    /** Returns a collection without elements. */
    public static Attachments empty() {
        return EMPTY;
    }

    /** Returns a collection with these attachments. If two attachments are for the same node, the later one is kept. */
    public static Attachments of(Iterable<Attachment> attachments) {
        Attachments set = EMPTY;
        for (Attachment attachment : attachments) {
            set = set.with(attachment);
        }
        return set;
    }

    /** Returns this collection with one more attachment, which replaces an existing attachment to the same node. */
    public Attachments with(Attachment attachment) {
        Attachment previous = SortedTree.get(tree, attachment.nodeId());
        return new Attachments(
                SortedTree.put(tree, attachment.nodeId(), attachment),
                publishing - one(previous, AttachmentState.PUBLISHING) + one(attachment, AttachmentState.PUBLISHING),
                unpublishing
                        - one(previous, AttachmentState.UNPUBLISHING)
                        + one(attachment, AttachmentState.UNPUBLISHING));
    }

    /** Returns this collection without the attachment to a node. */
    public Attachments without(NodeId nodeId) {
        Attachment previous = SortedTree.get(tree, nodeId);
        if (previous == null) {
            return this;
        }
        SortedTree<NodeId, Attachment> shorter = SortedTree.remove(tree, nodeId);
        return shorter == null
                ? EMPTY
                : new Attachments(
                        shorter,
                        publishing - one(previous, AttachmentState.PUBLISHING),
                        unpublishing - one(previous, AttachmentState.UNPUBLISHING));
    }

    private static int one(@Nullable Attachment attachment, AttachmentState state) {
        return attachment != null && attachment.state() == state ? 1 : 0;
    }

    /** Returns the attachment to a node; empty if there is none. */
    public Optional<Attachment> on(NodeId nodeId) {
        return Optional.ofNullable(SortedTree.get(tree, nodeId));
    }

    /**
     * Returns the current version of an attachment; empty if the attachment is gone, even if there is a newer one to its
     * node.
     *
     * @param attachment an attachment that was read before
     */
    public Optional<Attachment> same(Attachment attachment) {
        return on(attachment.nodeId()).filter(now -> now.createIndex() == attachment.createIndex());
    }

    public int size() {
        return SortedTree.size(tree);
    }

    public boolean isEmpty() {
        return tree == null;
    }

    /** Returns the number of attachments in a state. */
    public int count(AttachmentState state) {
        return switch (state) {
            case PUBLISHING -> publishing;
            case PUBLISHED -> size() - unsettled();
            case UNPUBLISHING -> unpublishing;
        };
    }

    /** Returns the number of attachments that are not PUBLISHED, and so need a call to the controller. */
    public int unsettled() {
        return publishing + unpublishing;
    }

    /**
     * Reports the differences between an earlier version of this collection and this one. The cost depends on the
     * number of differences, because parts that both versions share are skipped.
     *
     * @param earlier the version to compare with
     * @param visitor gets every difference, in order: the element before, null if it is new, and after, null if it was removed
     */
    public void changesSince(Attachments earlier, BiConsumer<@Nullable Attachment, @Nullable Attachment> visitor) {
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
        return "Attachments[size=" + size() + ", unsettled=" + unsettled() + "]";
    }
}
