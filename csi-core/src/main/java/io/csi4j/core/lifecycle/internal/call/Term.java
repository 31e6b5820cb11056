package io.csi4j.core.lifecycle.internal.call;

/**
 * A term of leadership: one period in which this engine leads. After the end of a term, the work of that term submits
 * no commands and sends no calls.
 */
public final class Term {
    private volatile boolean ended;

    public boolean ended() {
        return ended;
    }

    public void end() {
        ended = true;
    }
}
