package io.csi4j.core.call;

import org.jspecify.annotations.Nullable;

/**
 * The base class of all exceptions that csi4j throws for reasons outside of the calling code. Programming errors are
 * reported as {@link NullPointerException}, {@link IllegalArgumentException} and {@link IllegalStateException}.
 *
 * <p>The message is for operators and contains no secret, context or mount flag.
 */
public class CsiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * Creates the exception.
     *
     * @param message the failure, the id of the object, and the next step, for operators
     */
    public CsiException(String message) {
        super(message);
    }

    /**
     * Creates the exception with a cause that contains no sensitive text.
     *
     * @param message the failure, the id of the object, and the next step, for operators
     * @param cause the cause, or null
     */
    public CsiException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * Returns the message without any text of a plugin, so that it may be stored and sent to other processes.
     *
     * @return the message; if the cause is an exception of csi4j, the summary of the cause
     */
    public String summary() {
        return getCause() instanceof CsiException inner ? inner.summary() : String.valueOf(getMessage());
    }

    /**
     * Returns whether the failed operation may succeed later without a change of the request. False unless a subclass overrides it.
     */
    public boolean retryable() {
        return false;
    }
}
