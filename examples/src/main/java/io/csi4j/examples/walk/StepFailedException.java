package io.csi4j.examples.walk;

import io.csi4j.core.call.StatusCode;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A step failed. Its line is printed already. */
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
     * @return the name of an RPC, or a few words
     */
    public String step() {
        return step;
    }

    /**
     * The plugin's answer.
     *
     * @return empty if it was no call that failed
     */
    public Optional<StatusCode> code() {
        return Optional.ofNullable(code);
    }
}
