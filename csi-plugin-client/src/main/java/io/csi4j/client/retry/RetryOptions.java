package io.csi4j.client.retry;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/**
 * How often and how fast a call is repeated by the client; on which status codes is said by {@link
 * io.csi4j.core.call.CallRules}. All of it happens within the call's deadline. Immutable.
 *
 * <p>Between two tries is a pause of random length, up to a limit that doubles with each try ("full jitter"), so that
 * clients which failed together do not come back together.
 */
public final class RetryOptions {
    private static final RetryOptions DEFAULTS = builder().build();
    private static final RetryOptions NONE = builder().maxTries(1).build();

    private final int maxTries;
    private final Duration initialPause;
    private final Duration maxPause;
    private final @Nullable Duration budget;
    private final double tryShare;
    private final Duration minTry;
    private final @Nullable RandomGenerator random;

    private RetryOptions(Builder builder) {
        this.maxTries = builder.maxTries;
        this.initialPause = builder.initialPause;
        this.maxPause = builder.maxPause;
        this.budget = builder.budget;
        this.tryShare = builder.tryShare;
        this.minTry = builder.minTry;
        this.random = builder.random;
    }

    /** Up to four tries, with pauses of up to 0.2, 0.4 and 0.8 s. */
    public static RetryOptions ofDefaults() {
        return DEFAULTS;
    }

    /**
     * One try: every failure goes to the caller.
     *
     * @return options that repeat nothing
     */
    public static RetryOptions none() {
        return NONE;
    }

    /** A builder with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * How many tries a call has, the first included.
     *
     * @return 1 or more
     */
    public int maxTries() {
        return maxTries;
    }

    /**
     * The longest pause after the first try.
     *
     * @return longer than zero
     */
    public Duration initialPause() {
        return initialPause;
    }

    /**
     * The longest pause after any try.
     *
     * @return not shorter than the initial one
     */
    public Duration maxPause() {
        return maxPause;
    }

    /**
     * How long after its beginning a call may begin another try.
     *
     * @return empty: as long as its deadline permits
     */
    public Optional<Duration> budget() {
        return Optional.ofNullable(budget);
    }

    /**
     * What part of the time that is left a try may take, if another one could follow.
     *
     * @return above 0, up to 1
     */
    public double tryShare() {
        return tryShare;
    }

    /**
     * The shortest time in which a further try makes sense; with less left none is begun.
     *
     * @return longer than zero
     */
    public Duration minTry() {
        return minTry;
    }

    /**
     * Where the length of pauses comes from.
     *
     * @return empty: the client's own
     */
    public Optional<RandomGenerator> random() {
        return Optional.ofNullable(random);
    }

    @Override
    public String toString() {
        return "RetryOptions[maxTries=" + maxTries + ", initialPause=" + initialPause + ", maxPause=" + maxPause
                + ", budget=" + (budget == null ? "the deadline" : budget) + ", tryShare=" + tryShare + ", minTry="
                + minTry + "]";
    }

    /** Builds {@link RetryOptions}. Not safe for use by several threads. */
    public static final class Builder {
        private int maxTries = 4;
        private Duration initialPause = Duration.ofMillis(200);
        private Duration maxPause = Duration.ofSeconds(5);
        private @Nullable Duration budget;
        private double tryShare = 2.0 / 3;
        private Duration minTry = Duration.ofSeconds(1);
        private @Nullable RandomGenerator random;

        private Builder() {}

        /**
         * How many tries a call has, the first included.
         *
         * @param maxTries 1 or more; 4 unless set
         * @throws IllegalArgumentException if it is below 1
         */
        public Builder maxTries(int maxTries) {
            if (maxTries < 1) {
                throw new IllegalArgumentException("maxTries: " + maxTries + " leaves no try; use 1 for no repeats");
            }
            this.maxTries = maxTries;
            return this;
        }

        /**
         * The longest pause after the first try; it doubles with each further one.
         *
         * @param initialPause longer than zero; 0.2 s unless set
         * @throws IllegalArgumentException if it is zero or negative
         */
        public Builder initialPause(Duration initialPause) {
            this.initialPause = positive("initialPause", initialPause);
            return this;
        }

        /**
         * The longest pause after any try.
         *
         * @param maxPause longer than zero; 5 s unless set
         * @throws IllegalArgumentException if it is zero or negative
         */
        public Builder maxPause(Duration maxPause) {
            this.maxPause = positive("maxPause", maxPause);
            return this;
        }

        /**
         * How long after its beginning a call may begin another try. The deadline holds in any case.
         *
         * @param budget longer than zero; without it as long as the deadline permits
         * @throws IllegalArgumentException if it is zero or negative
         */
        public Builder budget(Duration budget) {
            this.budget = positive("budget", budget);
            return this;
        }

        /**
         * What part of the time that is left a try may take, so that a plugin which hangs once leaves room for
         * another try. Nothing is kept back where no try could follow.
         *
         * @param tryShare above 0, up to 1; two thirds unless set; 1: a try may take all
         * @throws IllegalArgumentException if it is outside that range
         */
        public Builder tryShare(double tryShare) {
            if (!(tryShare > 0 && tryShare <= 1)) {
                throw new IllegalArgumentException("tryShare: " + tryShare + " is not above 0 and up to 1");
            }
            this.tryShare = tryShare;
            return this;
        }

        /**
         * The shortest time in which a further try makes sense.
         *
         * @param minTry longer than zero; 1 s unless set
         * @throws IllegalArgumentException if it is zero or negative
         */
        public Builder minTry(Duration minTry) {
            this.minTry = positive("minTry", minTry);
            return this;
        }

        /**
         * Where the length of pauses comes from.
         *
         * @param random used by one thread at a time; the client's own unless set
         */
        public Builder random(RandomGenerator random) {
            this.random = Objects.requireNonNull(random, "random");
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
         * The value built so far.
         *
         * @return immutable options
         * @throws IllegalArgumentException if maxPause is shorter than initialPause
         */
        public RetryOptions build() {
            if (maxPause.compareTo(initialPause) < 0) {
                throw new IllegalArgumentException("maxPause: " + maxPause + " is shorter than initialPause, "
                        + initialPause + "; raise the one or lower the other");
            }
            return new RetryOptions(this);
        }
    }
}
