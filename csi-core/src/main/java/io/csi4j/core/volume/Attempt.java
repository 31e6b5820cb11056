package io.csi4j.core.volume;

import io.csi4j.core.csi.Text;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * One failed attempt at a step.
 *
 * @param error why it failed, for an operator, free of sensitive values
 * @param nextRetry when the step is tried again; empty: not planned
 * @param answeredCall the index of the call that the plugin answered clearly, or that was never sent; 0: the outcome is
 *     unknown, or the step keeps no such index (see {@link UnresolvedCall})
 */
public record Attempt(String error, Optional<Instant> nextRetry, long answeredCall) {
    /** Checks that both parts are there. */
    public Attempt {
        error = Text.repaired(Objects.requireNonNull(error, "error"));
        Objects.requireNonNull(nextRetry, "nextRetry");
    }

    /**
     * A failed attempt at a step that keeps no index of its calls.
     *
     * @param error why it failed, for an operator, free of sensitive values
     * @param nextRetry when the step is tried again; empty: not planned
     */
    public Attempt(String error, Optional<Instant> nextRetry) {
        this(error, nextRetry, 0);
    }

    /**
     * A failed attempt with a time for the next one.
     *
     * @param error why it failed, for an operator, free of sensitive values
     * @param nextRetry when the step is tried again
     * @return the attempt
     */
    public static Attempt failed(String error, Instant nextRetry) {
        return new Attempt(error, Optional.of(nextRetry));
    }

    /** Leaves the error out: it quotes a plugin. */
    @Override
    public String toString() {
        return "Attempt[nextRetry=" + nextRetry + ", answeredCall=" + answeredCall + "]";
    }
}
