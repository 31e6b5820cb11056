package io.csi4j.state;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers the edits of trees; no number is used twice in this process. By its number, an edit recognizes the tree nodes
 * that it has created. It changes only these nodes in place, and copies a node of an earlier edit before it changes it.
 */
final class Edits {
    private static final AtomicLong LAST = new AtomicLong();

    private Edits() {}

    static long next() {
        return LAST.incrementAndGet();
    }
}
