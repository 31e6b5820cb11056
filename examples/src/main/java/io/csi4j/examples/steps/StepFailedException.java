package io.csi4j.examples.steps;

import io.csi4j.core.call.StatusCode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Reports a failed step; the log line of the step has been printed already. */
public final class StepFailedException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final String step;
    private final @Nullable StatusCode code;

    StepFailedException(String step, String message, @Nullable StatusCode code, @Nullable Throwable cause) {
        super(message, cause);
        this.step = step;
        this.code = code;
    }

    /**
     * Returns the step that failed.
     *
     * @return the name of an RPC, or a short text
     */
    public String step() {
        return step;
    }

    /**
     * Returns the status code of the plugin's response.
     *
     * @return the status code; empty if the step was not a call
     */
    public Optional<StatusCode> code() {
        return Optional.ofNullable(code);
    }
}
