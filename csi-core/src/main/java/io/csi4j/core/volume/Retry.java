package io.csi4j.core.volume;

import io.csi4j.core.csi.Text;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * How often a step failed, why the last time, when it is tried again, and whether a call for it has an unknown outcome.
 * Begins anew with every step.
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

    /**
     * Nothing failed yet.
     *
     * @return the value of a step that was not tried, or succeeded
     */
    public static Retry none() {
        return NONE;
    }

    /**
     * A step with this many failed attempts.
     *
     * @param attempts 0 or more
     * @param lastError why the last one failed, without any text of a plugin's, or null
     * @param nextRetry when it is tried again, or null
     * @return the value
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
     * The same with a call as it was stored.
     *
     * @param call the call whose outcome is unknown, or null
     * @return the value
     */
    public Retry unresolved(@Nullable UnresolvedCall call) {
        return new Retry(attempts, lastError, nextRetry, call);
    }

    /**
     * The same once a call has begun.
     *
     * @param index the log index of the command that begins it
     * @return the value to store before the call
     */
    public Retry begun(long index) {
        return unresolved(new UnresolvedCall(index, unresolved != null));
    }

    /**
     * This, with one more failed attempt. The same attempt again (the same error with the same time of
     * the next one) is not counted twice (I13).
     *
     * @param attempt what happened
     * @return the value to store
     */
    public Retry plus(Attempt attempt) {
        boolean again = attempt.nextRetry().isPresent()
                && attempt.nextRetry().equals(nextRetry())
                && attempt.error().equals(lastError);
        UnresolvedCall left = unresolved != null && unresolved.isOnly(attempt.answeredCall()) ? null : unresolved;
        return again
                ? unresolved(left)
                : new Retry(attempts + 1, attempt.error(), attempt.nextRetry().orElse(null), left);
    }

    /**
     * How often the step failed.
     *
     * @return 0 or more
     */
    public int attempts() {
        return attempts;
    }

    /**
     * Whether it failed and no further attempt is planned, as a plugin's refusal for good asks for. Only steps whose
     * failures tell so are ever refused; others are always tried again.
     *
     * @return true if so
     */
    public boolean refused() {
        return attempts > 0 && nextRetry == null;
    }

    /**
     * Why the last attempt failed.
     *
     * @return a text for an operator; empty: none failed
     */
    public Optional<String> lastError() {
        return Optional.ofNullable(lastError);
    }

    /**
     * When the step is tried again.
     *
     * @return the time; empty: nothing is planned, or it was not tried
     */
    public Optional<Instant> nextRetry() {
        return Optional.ofNullable(nextRetry);
    }

    /**
     * The call whose outcome is not known.
     *
     * @return empty: each call was answered
     */
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

    /** Leaves the error out: it quotes a plugin. */
    @Override
    public String toString() {
        return "Retry[attempts=" + attempts + ", nextRetry=" + nextRetry + ", unresolved=" + unresolved + "]";
    }
}
