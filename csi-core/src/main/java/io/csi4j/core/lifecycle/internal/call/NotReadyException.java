package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;

/**
 * Reports that the plugin has created an object, such as a snapshot, that is not ready to use yet. Sending the same
 * request again shows when the object is ready (R77).
 */
public final class NotReadyException extends CsiException {
    private static final long serialVersionUID = 1L;

    private final String kept;

    /**
     * Creates the exception.
     *
     * @param what the object, for operators
     * @param kept the ids under which the plugin has the object, for operators, for example {@code it has the id s-1}
     */
    public NotReadyException(String what, String kept) {
        super(what + " was cut and is not ready to use yet");
        this.kept = kept;
    }

    /** Returns what an operator can do if the object is not ready in time. */
    public String remedy() {
        return kept + ". Nothing continues: request it again with the same name to wait for it again, or delete it by"
                + " its id";
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
