package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;

/** Reports that a plugin responded OK with a result that does not match the request. */
public final class WrongAnswerException extends CsiException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param rpc the RPC with the wrong response
     * @param subject the subject of the call, such as the volume's key
     * @param problem the mismatch, and how the engine reacts to it
     */
    public WrongAnswerException(Rpc rpc, String subject, String problem) {
        super(subject + ": the answer to " + rpc.csiName() + " is wrong: " + problem);
    }
}
