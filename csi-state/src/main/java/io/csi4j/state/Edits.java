package io.csi4j.state;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Gives each edit of a tree a number that is never used again in this process. A tree node of an earlier edit can therefore never be
 * changed in place.
 */
final class Edits {
    private static final AtomicLong LAST = new AtomicLong();

    private Edits() {}

    static long next() {
        return LAST.incrementAndGet();
    }
}
