package io.csi4j.core.lifecycle.internal.call;

/**
 * A term of leadership: one period in which this engine leads. After its end, the engine writes and sends nothing for
 * it.
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
