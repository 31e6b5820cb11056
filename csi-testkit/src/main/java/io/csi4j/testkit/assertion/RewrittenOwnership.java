package io.csi4j.testkit.assertion;

import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.testkit.cluster.FakeNode.OwnershipChange;

/** Assertions about the last change of the ownership of a volume's files by a node. */
public final class RewrittenOwnership {
    private final FakeNodeAssert node;
    private final OwnershipChange change;

    RewrittenOwnership(FakeNodeAssert node, OwnershipChange change) {
        this.node = node;
        this.change = change;
    }

    /** Verifies the group that the files got. */
    public FakeNodeAssert toGroup(long group) {
        return change.group() == group
                ? node
                : node.failing("expected that the files get the group " + group + ", but the change is " + change);
    }

    /** Verifies which files the node changed, and the owner that the root directory got. */
    public FakeNodeAssert with(OwnershipOptions options) {
        return change.options().equals(options)
                ? node
                : node.failing("expected a change with " + options + ", but it is " + change);
    }
}
