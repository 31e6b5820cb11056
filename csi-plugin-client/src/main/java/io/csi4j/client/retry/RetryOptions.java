package io.csi4j.client.retry;

import dev.failsafe.RetryPolicy;
import dev.failsafe.RetryPolicyConfig;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The number of attempts of a call and the backoff between them; {@link io.csi4j.core.call.CallRules} decides which status codes are
 * retried. All attempts share the call's deadline. Immutable.
 *
 * <p>The backoff has a random length up to a limit that doubles with each attempt ("full jitter"), so that clients that failed
 * together do not retry together.
 */
public final class RetryOptions {
    private static final RetryOptions DEFAULTS = builder().build();
    private static final RetryOptions NONE = builder().maxAttempts(1).build();

    private final int maxAttempts;
    private final Duration initialBackoff;
    private final Duration maxBackoff;
    private final @Nullable Duration budget;
    private final double attemptShare;
    private final Duration minAttempt;

    private RetryOptions(Builder builder) {
        this.maxAttempts = builder.maxAttempts;
        this.initialBackoff = builder.initialBackoff;
        this.maxBackoff = builder.maxBackoff;
        this.budget = builder.budget;
        this.attemptShare = builder.attemptShare;
        this.minAttempt = builder.minAttempt;
    }

    /** Returns the defaults: up to four attempts, with backoffs of up to 0.2, 0.4 and 0.8 s. */
    public static RetryOptions ofDefaults() {
        return DEFAULTS;
    }

    /** Returns options without retries: each failure goes to the caller. */
    public static RetryOptions none() {
        return NONE;
    }

    /**
     * Returns options with the number of attempts, the backoff and the time of a Failsafe policy: {@code delay} becomes the initial
     * backoff, {@code maxDelay} the longest one (without it, all backoffs have the same limit), and {@code maxDuration} the budget. The
     * lengths of the backoffs are random up to these limits.
     *
     * @throws IllegalArgumentException if the policy has a part that these options cannot follow: conditions for results or exceptions
     *     (the call rules decide which failures are retried), a delay function, jitter, a delay of zero, or a delay factor other than 2
     */
    public static RetryOptions of(RetryPolicy<?> policy) {
        RetryPolicyConfig<?> config = policy.getConfig();
        refuse(
                config.isExceptionsChecked()
                        || !config.getFailureConditions().isEmpty()
                        || !config.getAbortConditions().isEmpty(),
                "handle and abort conditions; the call rules decide which failures are retried, so give those instead");
        refuse(config.getDelayFn() != null, "a delay function; use withDelay or withBackoff");
        refuse(
                config.getJitter() != null || config.getJitterFactor() != 0,
                "jitter; remove it, because each backoff has a random length anyway");
        Duration delay = config.getDelayMax() == null ? config.getDelay() : config.getDelayMax();
        refuse(delay.isZero(), "no delay; use withDelay or withBackoff");
        Duration maxDelay = config.getMaxDelay();
        refuse(
                maxDelay != null && config.getDelayFactor() != 2,
                "the delay factor " + config.getDelayFactor() + "; only 2 is possible");
        Builder builder = builder()
                .maxAttempts(config.getMaxAttempts() < 0 ? Integer.MAX_VALUE : config.getMaxAttempts())
                .initialBackoff(delay)
                .maxBackoff(maxDelay == null ? delay : maxDelay);
        return config.getMaxDuration() == null
                ? builder.build()
                : builder.budget(config.getMaxDuration()).build();
    }

    private static void refuse(boolean present, String part) {
        if (present) {
            throw new IllegalArgumentException("the retry policy has " + part);
        }
    }

    /** Returns a builder with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the largest number of attempts, including the first; 1 or more. */
    public int maxAttempts() {
        return maxAttempts;
    }

    /** Returns the longest backoff after the first attempt. */
    public Duration initialBackoff() {
        return initialBackoff;
    }

    /** Returns the longest backoff after any attempt. */
    public Duration maxBackoff() {
        return maxBackoff;
    }

    /**
     * Returns the time, from the start of a call, during which another attempt may begin; empty: another attempt may begin until the
     * deadline.
     */
    public Optional<Duration> budget() {
        return Optional.ofNullable(budget);
    }

    /** Returns the fraction of the remaining time that an attempt may take if another attempt could follow; above 0, up to 1. */
    public double attemptShare() {
        return attemptShare;
    }

    /** Returns the shortest time in which an attempt is useful; if less time is left, no further attempt begins. */
    public Duration minAttempt() {
        return minAttempt;
    }

    @Override
    public String toString() {
        return "RetryOptions[maxAttempts=" + maxAttempts + ", initialBackoff=" + initialBackoff + ", maxBackoff="
                + maxBackoff
                + ", budget=" + (budget == null ? "the deadline" : budget) + ", attemptShare=" + attemptShare
                + ", minAttempt="
                + minAttempt + "]";
    }

    /** Builds {@link RetryOptions}. Not thread-safe. */
    public static final class Builder {
        private int maxAttempts = 4;
        private Duration initialBackoff = Duration.ofMillis(200);
        private Duration maxBackoff = Duration.ofSeconds(5);
        private @Nullable Duration budget;
        private double attemptShare = 2.0 / 3;
        private Duration minAttempt = Duration.ofSeconds(1);

        private Builder() {}

        /**
         * Sets the largest number of attempts, including the first. Default: 4.
         *
         * @throws IllegalArgumentException if below 1
         */
        public Builder maxAttempts(int maxAttempts) {
            if (maxAttempts < 1) {
                throw new IllegalArgumentException(
                        "maxAttempts: " + maxAttempts + " allows no attempt; use 1 for no retries");
            }
            this.maxAttempts = maxAttempts;
            return this;
        }

        /**
         * Sets the longest backoff after the first attempt; it doubles with each further attempt. Default: 0.2 s.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder initialBackoff(Duration initialBackoff) {
            this.initialBackoff = positive("initialBackoff", initialBackoff);
            return this;
        }

        /**
         * Sets the longest backoff after any attempt. Default: 5 s.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder maxBackoff(Duration maxBackoff) {
            this.maxBackoff = positive("maxBackoff", maxBackoff);
            return this;
        }

        /**
         * Sets the time, from the start of a call, during which another attempt may begin. Default: until the deadline. No attempt begins
         * after the deadline.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder budget(Duration budget) {
            this.budget = positive("budget", budget);
            return this;
        }

        /**
         * Sets the fraction of the remaining time that an attempt may take, so that a single hung attempt leaves time for another attempt.
         * Applies only if another attempt could follow. Default: two thirds. With 1, an attempt may take all remaining time.
         *
         * @throws IllegalArgumentException unless above 0, up to 1
         */
        public Builder attemptShare(double attemptShare) {
            if (!(attemptShare > 0 && attemptShare <= 1)) {
                throw new IllegalArgumentException("attemptShare: " + attemptShare + " is not above 0 and up to 1");
            }
            this.attemptShare = attemptShare;
            return this;
        }

        /**
         * Sets the shortest time in which an attempt is useful; if less time is left, no further attempt begins. Default: 1 s.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder minAttempt(Duration minAttempt) {
            this.minAttempt = positive("minAttempt", minAttempt);
            return this;
        }

        private static Duration positive(String name, Duration value) {
            Objects.requireNonNull(value, name);
            if (value.isZero() || value.isNegative() || value.compareTo(Duration.ofNanos(Long.MAX_VALUE)) > 0) {
                throw new IllegalArgumentException(name + ": " + value + " is not above zero and up to 292 years");
            }
            return value;
        }

        /**
         * Builds the options.
         *
         * @throws IllegalArgumentException if the longest backoff is shorter than the initial backoff
         */
        public RetryOptions build() {
            if (maxBackoff.compareTo(initialBackoff) < 0) {
                throw new IllegalArgumentException("maxBackoff: " + maxBackoff + " is shorter than initialBackoff, "
                        + initialBackoff + "; raise the one or lower the other");
            }
            return new RetryOptions(this);
        }
    }
}
