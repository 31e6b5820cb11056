package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;

/** A plugin answered OK to a call, with something that was not asked for. */
public final class WrongAnswerException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * An answer that cannot be used.
     *
     * @param rpc the call
     * @param subject what it was about
     * @param problem what is wrong, and what was done about it
     */
    public WrongAnswerException(Rpc rpc, String subject, String problem) {
        super(subject + ": the answer to " + rpc.csiName() + " is wrong: " + problem);
    }
}
