package io.csi4j.state;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Numbers for edits, never used twice in this process: a node that carries an old number can never be taken for
 * one that may still be changed.
 */
final class Edits {
    private static final AtomicLong LAST = new AtomicLong();

    private Edits() {}

    static long next() {
        return LAST.incrementAndGet();
    }
}
