package io.csi4j.state;

import java.util.concurrent.atomic.AtomicLong;

/** Numbers of edits, never used twice in this process: a node with an old number can never be changed in place. */
final class Edits {
    private static final AtomicLong LAST = new AtomicLong();

    private Edits() {}

    static long next() {
        return LAST.incrementAndGet();
    }
}
