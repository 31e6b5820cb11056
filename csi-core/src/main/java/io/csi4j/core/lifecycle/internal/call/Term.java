package io.csi4j.core.lifecycle.internal.call;

/** One time of leading. Once it is over nothing is written or sent on its account any more. */
public final class Term {
    private volatile boolean over;

    public boolean over() {
        return over;
    }

    public void end() {
        over = true;
    }
}
