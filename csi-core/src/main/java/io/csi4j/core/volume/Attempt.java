package io.csi4j.core.volume;

import io.csi4j.core.internal.text.Text;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;

/**
 * One failed attempt at a step.
 *
 * @param error the reason of the failure, for operators, without sensitive values
 * @param nextRetry the time of the next attempt; empty if none is planned
 * @param answeredCall identifies the failed call if it certainly changed nothing: the index of the command that
 *     recorded the start of the call. 0 if the outcome of the call is unknown, or if the step does not record the start
 *     of its calls (see {@link UnresolvedCall})
 * @param noRoomCall identifies the failed call in the same way if the plugin answered it with RESOURCE_EXHAUSTED, so
 *     that there was no room, although the call may have had its effect before; otherwise 0
 */
public record Attempt(String error, Optional<Instant> nextRetry, long answeredCall, long noRoomCall) {
    public Attempt {
        error = Text.repaired(Objects.requireNonNull(error, "error"));
        Objects.requireNonNull(nextRetry, "nextRetry");
    }

    /**
     * Creates a failed attempt that was not answered with RESOURCE_EXHAUSTED.
     *
     * @param error the reason of the failure, for operators, without sensitive values
     * @param nextRetry the time of the next attempt; empty if none is planned
     * @param answeredCall the index of the command that recorded the start of the call, if the call certainly changed
     *     nothing; otherwise 0
     */
    public Attempt(String error, Optional<Instant> nextRetry, long answeredCall) {
        this(error, nextRetry, answeredCall, 0);
    }

    /**
     * Creates a failed attempt with the {@code answeredCall} 0, for a step that does not record the start of its calls.
     *
     * @param error the reason of the failure, for operators, without sensitive values
     * @param nextRetry the time of the next attempt; empty if none is planned
     */
    public Attempt(String error, Optional<Instant> nextRetry) {
        this(error, nextRetry, 0);
    }

    /**
     * Returns a failed attempt after which another one is planned.
     *
     * @param error the reason of the failure, for operators, without sensitive values
     * @param nextRetry the time of the next attempt
     */
    public static Attempt failed(String error, Instant nextRetry) {
        return new Attempt(error, Optional.of(nextRetry));
    }
}
