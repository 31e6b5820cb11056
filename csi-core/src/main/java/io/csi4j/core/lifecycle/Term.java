package io.csi4j.core.lifecycle;

/** One time of leading. Once it is over nothing is written or sent on its account any more. */
final class Term {
    private volatile boolean over;

    boolean over() {
        return over;
    }

    void end() {
        over = true;
    }
}
