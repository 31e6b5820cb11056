package io.csi4j.core.call;

import org.jspecify.annotations.Nullable;

/**
 * The root of everything csi4j throws for reasons outside the calling code. Programming errors are
 * {@link NullPointerException}, {@link IllegalArgumentException} and {@link IllegalStateException}.
 *
 * <p>Its message is written for an operator and holds no secret, context or mount flag.
 */
public class CsiException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /**
     * An exception with a message for an operator.
     *
     * @param message what happened, to which id, and what to do next
     */
    public CsiException(String message) {
        super(message);
    }

    /**
     * An exception with a message for an operator and a cause that holds no sensitive text.
     *
     * @param message what happened, to which id, and what to do next
     * @param cause why, or null
     */
    public CsiException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }

    /**
     * What failed, in csi4j's own words: the message without any text of a plugin's. Fit to be stored, and to be sent
     * to other processes.
     *
     * @return the message; where another exception of csi4j is the cause, the summary of that
     */
    public String summary() {
        return getCause() instanceof CsiException inner ? inner.summary() : String.valueOf(getMessage());
    }

    /**
     * Whether the operation that failed may succeed later without a change to the request.
     *
     * @return false unless a subclass knows better
     */
    public boolean retryable() {
        return false;
    }
}
