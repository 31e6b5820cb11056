package io.csi4j.state;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers the edits of trees; no number is used twice in this process. An edit changes only tree nodes with its own
 * number in place, and copies all other nodes.
 */
final class Edits {
    private static final AtomicLong LAST = new AtomicLong();

    private Edits() {}

    static long next() {
        return LAST.incrementAndGet();
    }
}
