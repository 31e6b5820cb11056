package io.csi4j.core.volume;

import io.csi4j.core.internal.text.Text;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The failed attempts at a step: their number, the last error, the time of the next attempt, and a call with an unknown
 * outcome. Every step begins with {@link #none()}.
 */
public final class Retry {
    private static final Retry NONE = new Retry(0, null, null, null);

    private final int attempts;
    private final @Nullable String lastError;
    private final @Nullable Instant nextRetry;
    private final @Nullable UnresolvedCall unresolved;

    private Retry(
            int attempts,
            @Nullable String lastError,
            @Nullable Instant nextRetry,
            @Nullable UnresolvedCall unresolved) {
        this.attempts = attempts;
        this.lastError = lastError == null ? null : Text.repaired(lastError);
        this.nextRetry = nextRetry;
        this.unresolved = unresolved;
    }

    /** Returns the object for a step without failed attempts. */
    public static Retry none() {
        return NONE;
    }

    /**
     * Returns an object for a step with failed attempts.
     *
     * @param attempts 0 or more
     * @param lastError the reason of the last failure, without any text of a plugin; null if there is none
     * @param nextRetry the time of the next attempt; null if none is planned
     * @throws IllegalArgumentException if {@code attempts} is negative
     */
    public static Retry of(int attempts, @Nullable String lastError, @Nullable Instant nextRetry) {
        if (attempts < 0) {
            throw new IllegalArgumentException("Retry: attempts is " + attempts + "; use 0 or more");
        }
        return attempts == 0 && lastError == null && nextRetry == null
                ? NONE
                : new Retry(attempts, lastError, nextRetry, null);
    }

    /**
     * Returns a copy of this object with the given call as its unresolved call. The parameter is null if no call has an
     * unknown outcome.
     */
    public Retry unresolved(@Nullable UnresolvedCall call) {
        return new Retry(attempts, lastError, nextRetry, call);
    }

    /**
     * Returns a copy of this object without failed attempts, so that the next one is due at once. A call with an unknown
     * outcome stays: it may still take effect.
     */
    public Retry dueNow() {
        return NONE.unresolved(unresolved);
    }

    /**
     * Returns a copy of this object with the record of a call that is about to begin.
     *
     * @param index the index of the command that records the start of the call
     * @return the object to store before the call
     */
    public Retry begun(long index) {
        return unresolved(unresolved == null ? new UnresolvedCall(index, false) : unresolved.next(index));
    }

    /**
     * Returns a copy of this object with one more failed attempt. An attempt that equals the last one (same error, same
     * time of the next attempt) is not counted again.
     */
    public Retry plus(Attempt attempt) {
        boolean again = attempt.nextRetry().isPresent()
                && attempt.nextRetry().equals(nextRetry())
                && attempt.error().equals(lastError);
        UnresolvedCall left = unresolved == null || unresolved.isOnlyCall(attempt.answeredCall())
                ? null
                : attempt.answeredCall() == unresolved.index()
                        ? unresolved
                        : unresolved.failed(attempt.noRoomCall() == unresolved.index());
        return again
                ? unresolved(left)
                : new Retry(attempts + 1, attempt.error(), attempt.nextRetry().orElse(null), left);
    }

    /** Returns the number of failed attempts. */
    public int attempts() {
        return attempts;
    }

    /** Returns whether the step failed and no further attempt is planned, because the plugin refused permanently. */
    public boolean refused() {
        return attempts > 0 && nextRetry == null;
    }

    /** Returns the reason of the last failure, for operators; empty if no attempt has failed. */
    public Optional<String> lastError() {
        return Optional.ofNullable(lastError);
    }

    /** Returns the time of the next attempt; empty if none is planned. */
    public Optional<Instant> nextRetry() {
        return Optional.ofNullable(nextRetry);
    }

    /** Returns the last call with an unknown outcome; empty if no call has one. */
    public Optional<UnresolvedCall> unresolved() {
        return Optional.ofNullable(unresolved);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Retry that
                && attempts == that.attempts
                && Objects.equals(lastError, that.lastError)
                && Objects.equals(nextRetry, that.nextRetry)
                && Objects.equals(unresolved, that.unresolved);
    }

    @Override
    public int hashCode() {
        return Objects.hash(attempts, lastError, nextRetry, unresolved);
    }

    @Override
    public String toString() {
        return "Retry[attempts=" + attempts + ", lastError=" + lastError + ", nextRetry=" + nextRetry + ", unresolved="
                + unresolved + "]";
    }
}
