package io.csi4j.state;

import io.csi4j.core.state.SecretsCipher;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The options of a store. Immutable. */
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

    /** Returns the default options. */
    public static StateStoreOptions ofDefaults() {
        return DEFAULTS;
    }

    /** Returns a builder with the default options. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns the longest time that {@link StateStore#apply} waits for another writer. */
    public Duration writeTimeout() {
        return writeTimeout;
    }

    /** Returns the executor for notifications of watchers; empty: the store uses up to 16 daemon threads of its own. */
    public Optional<Executor> watchExecutor() {
        return Optional.ofNullable(watchExecutor);
    }

    /**
     * Returns the cipher for secrets, contexts, mount flags and parameters in an encoded state; empty: only a {@link
     * StateStore#inMemory} store can be made, and an encoded state with encrypted values cannot be restored.
     */
    public Optional<SecretsCipher> secretsCipher() {
        return Optional.ofNullable(secretsCipher);
    }

    /** Builds {@link StateStoreOptions}. Not thread-safe. */
    public static final class Builder {
        private Duration writeTimeout = Duration.ofSeconds(10);
        private @Nullable Executor watchExecutor;
        private @Nullable SecretsCipher secretsCipher;

        private Builder() {}

        /**
         * Sets the longest time that a write waits for another one. Default: 10 seconds.
         *
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
         * Sets the executor that notifies watchers. A watcher that blocks occupies one thread of the executor. The
         * caller closes the executor.
         */
        public Builder watchExecutor(Executor watchExecutor) {
            this.watchExecutor = Objects.requireNonNull(watchExecutor, "watchExecutor");
            return this;
        }

        /**
         * Sets the cipher for secrets, contexts, mount flags and parameters in an encoded state.
         *
         * @param secretsCipher for example an {@link AesGcmSecretsCipher}
         */
        public Builder secretsCipher(SecretsCipher secretsCipher) {
            this.secretsCipher = Objects.requireNonNull(secretsCipher, "secretsCipher");
            return this;
        }

        public StateStoreOptions build() {
            return new StateStoreOptions(this);
        }
    }
}
