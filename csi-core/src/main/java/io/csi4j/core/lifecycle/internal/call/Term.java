package io.csi4j.core.lifecycle.internal.call;

/** One period of leading. After its end, nothing is written or sent for it. */
public final class Term {
    private volatile boolean ended;

    public boolean ended() {
        return ended;
    }

    public void end() {
        ended = true;
    }
}
