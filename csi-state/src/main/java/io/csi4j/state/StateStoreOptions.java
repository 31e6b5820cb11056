package io.csi4j.state;

import io.csi4j.core.state.SecretsCipher;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** How a store works. Immutable. */
public final class StateStoreOptions {
    private static final StateStoreOptions DEFAULTS = builder().build();

    private final Duration writeTimeout;
    private final @Nullable Executor watchExecutor;
    private final @Nullable SecretsCipher secretsCipher;

    private StateStoreOptions(Builder builder) {
        this.writeTimeout = builder.writeTimeout;
        this.watchExecutor = builder.watchExecutor;
        this.secretsCipher = builder.secretsCipher;
    }

    /**
     * The defaults.
     *
     * @return options with nothing set
     */
    public static StateStoreOptions ofDefaults() {
        return DEFAULTS;
    }

    /** A builder with the defaults. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * How long {@link StateStore#apply} waits for another writer.
     *
     * @return above zero
     */
    public Duration writeTimeout() {
        return writeTimeout;
    }

    /**
     * What runs the reactions of watchers.
     *
     * @return empty: up to 16 daemon threads of the store's own
     */
    public Optional<Executor> watchExecutor() {
        return Optional.ofNullable(watchExecutor);
    }

    /**
     * What hides secrets, contexts, mount flags and parameters when the state is encoded.
     *
     * @return empty: a state that holds such values cannot be encoded, nor restored where they are encrypted
     */
    public Optional<SecretsCipher> secretsCipher() {
        return Optional.ofNullable(secretsCipher);
    }

    /** Builds {@link StateStoreOptions}. Not safe for use by several threads. */
    public static final class Builder {
        private Duration writeTimeout = Duration.ofSeconds(10);
        private @Nullable Executor watchExecutor;
        private @Nullable SecretsCipher secretsCipher;

        private Builder() {}

        /**
         * Sets how long a write waits for another one.
         *
         * @param writeTimeout above zero; 10 seconds if not set
         * @throws IllegalArgumentException if it is not above zero
         */
        public Builder writeTimeout(Duration writeTimeout) {
            if (writeTimeout.isZero() || writeTimeout.isNegative()) {
                throw new IllegalArgumentException(
                        "StateStoreOptions: writeTimeout is " + writeTimeout + "; give a time above zero");
            }
            this.writeTimeout = writeTimeout;
            return this;
        }

        /**
         * Sets what runs the reactions of watchers. Who gives it closes it. A reaction that blocks holds one of its
         * threads.
         *
         * @param watchExecutor the host's executor
         */
        public Builder watchExecutor(Executor watchExecutor) {
            this.watchExecutor = Objects.requireNonNull(watchExecutor, "watchExecutor");
            return this;
        }

        /**
         * Sets what hides secrets, contexts, mount flags and parameters when the state is encoded.
         *
         * @param secretsCipher for example an {@link AesGcmSecretsCipher}
         */
        public Builder secretsCipher(SecretsCipher secretsCipher) {
            this.secretsCipher = Objects.requireNonNull(secretsCipher, "secretsCipher");
            return this;
        }

        /**
         * The options built so far.
         *
         * @return immutable options
         */
        public StateStoreOptions build() {
            return new StateStoreOptions(this);
        }
    }
}
