package io.csi4j.core.lifecycle.internal.call;

import java.util.function.BooleanSupplier;

/**
 * A term of leadership: one period in which this engine leads. After the end of a term, the work of that term submits
 * no commands and sends no calls.
 */
public final class Term {
    private final BooleanSupplier mayAct;
    private volatile boolean ended;

    /**
     * Creates a term that has not ended.
     *
     * @param mayAct asks the log whether this server still leads
     */
    public Term(BooleanSupplier mayAct) {
        this.mayAct = mayAct;
    }

    public boolean ended() {
        return ended;
    }

    /**
     * Returns whether the work of this term may send a call now. Asks the log, because this process may have stood still
     * while another server began to lead, and its notification may wait behind the work. Ends the term if not.
     */
    public boolean mayCall() {
        if (!ended && !mayAct.getAsBoolean()) {
            ended = true;
        }
        return !ended;
    }

    public void end() {
        ended = true;
    }
}
