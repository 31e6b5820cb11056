package io.csi4j.examples.steps;

import io.csi4j.core.call.StatusCode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A failed step whose line is printed already. */
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
     * The step that failed.
     *
     * @return the name of an RPC, or a short text
     */
    public String step() {
        return step;
    }

    /**
     * The status code of the plugin's answer.
     *
     * @return empty if the failure was not a call
     */
    public Optional<StatusCode> code() {
        return Optional.ofNullable(code);
    }
}
