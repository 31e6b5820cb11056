package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CsiException;

/**
 * Reports that a thread was interrupted while it waited for an operation. The thread's interrupt flag is set. If the
 * operation was a claim, its request has left the queue, and its claims are released. Every other operation continues;
 * call the same method again to wait for the result.
 */
public final class InterruptedOperationException extends CsiException {
    private static final long serialVersionUID = 1L;

    InterruptedOperationException(InterruptedException cause) {
        super(
                "the thread was interrupted while it waited for an operation; a claim was cancelled, every other operation"
                        + " continues: repeat it to wait for it again",
                cause);
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
