package io.csi4j.client.registry.instance;

import java.time.Duration;
import java.util.Objects;

/**
 * Limits and intervals of the connections to plugins. Immutable.
 *
 * <table>
 *   <caption>Defaults</caption>
 *   <tr><th>Option</th><th>Default</th></tr>
 *   <tr><td>start-up limit</td><td>1 min</td></tr>
 *   <tr><td>liveness limit</td><td>1 min</td></tr>
 *   <tr><td>probe interval of a healthy instance</td><td>15 s, up to a tenth shorter or longer</td></tr>
 *   <tr><td>probe spacing: the shortest time between two probes (R41)</td><td>500 ms</td></tr>
 *   <tr><td>probes of an instance that is not ready</td><td>after 500 ms, doubling to 5 s</td></tr>
 *   <tr><td>facts interval</td><td>10 min</td></tr>
 *   <tr><td>node info spacing: the shortest time between two NodeGetInfo calls (R93)</td><td>10 s</td></tr>
 *   <tr><td>interval of checks of the sockets' paths</td><td>250 ms</td></tr>
 * </table>
 */
public final class ConnectionOptions {
    private static final ConnectionOptions DEFAULTS = new Builder().build();

    private final Duration startUpLimit;
    private final Duration livenessLimit;
    private final Duration probeInterval;
    private final Duration probeSpacing;
    private final Duration retryMax;
    private final Duration factsInterval;
    private final Duration socketPollInterval;
    private final Duration nodeInfoSpacing;

    private ConnectionOptions(Builder builder) {
        this.startUpLimit = builder.startUpLimit;
        this.livenessLimit = builder.livenessLimit;
        this.probeInterval = builder.probeInterval;
        this.probeSpacing = builder.probeSpacing;
        this.retryMax = builder.retryMax;
        this.factsInterval = builder.factsInterval;
        this.socketPollInterval = builder.socketPollInterval;
        this.nodeInfoSpacing = builder.nodeInfoSpacing;
    }

    /** Returns the default options. */
    public static ConnectionOptions ofDefaults() {
        return DEFAULTS;
    }

    /** Returns a builder with the default options. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns the longest time until an instance is ready, from its registration or from a change of the process behind its socket.
     */
    public Duration startUpLimit() {
        return startUpLimit;
    }

    /** Returns the longest time for which an instance that was ready may be unhealthy, from the first failure. */
    public Duration livenessLimit() {
        return livenessLimit;
    }

    /** Returns the interval of probes of a healthy instance, before jitter. */
    public Duration probeInterval() {
        return probeInterval;
    }

    /** Returns the shortest time between two probes of one instance; it holds in every state (R41). */
    public Duration probeSpacing() {
        return probeSpacing;
    }

    /**
     * Returns the longest backoff before an instance that is not ready is probed again, before jitter; the first backoff is the probe spacing.
     */
    public Duration retryMax() {
        return retryMax;
    }

    /**
     * Returns the interval at which the facts of a healthy process are read again. Facts are also read after each change of the process.
     */
    public Duration factsInterval() {
        return factsInterval;
    }

    /** Returns the interval at which the paths of all sockets are checked; all paths are checked together. */
    public Duration socketPollInterval() {
        return socketPollInterval;
    }

    /**
     * Returns the shortest time between two NodeGetInfo calls (R93) to one instance. NodeGetInfo is called after a stage or publish was
     * refused because the node is full, and by {@code PluginRegistry.refreshNodeInfo}.
     */
    public Duration nodeInfoSpacing() {
        return nodeInfoSpacing;
    }

    @Override
    public String toString() {
        return "ConnectionOptions[startUpLimit=" + startUpLimit + ", livenessLimit=" + livenessLimit
                + ", probeInterval=" + probeInterval + ", probeSpacing=" + probeSpacing + ", retryMax=" + retryMax
                + ", factsInterval=" + factsInterval + ", socketPollInterval=" + socketPollInterval
                + ", nodeInfoSpacing=" + nodeInfoSpacing + "]";
    }

    /** Builds {@link ConnectionOptions}. Not thread-safe. */
    public static final class Builder {
        private Duration startUpLimit = Duration.ofMinutes(1);
        private Duration livenessLimit = Duration.ofMinutes(1);
        private Duration probeInterval = Duration.ofSeconds(15);
        private Duration probeSpacing = Duration.ofMillis(500);
        private Duration retryMax = Duration.ofSeconds(5);
        private Duration factsInterval = Duration.ofMinutes(10);
        private Duration socketPollInterval = Duration.ofMillis(250);
        private Duration nodeInfoSpacing = Duration.ofSeconds(10);

        private Builder() {}

        /**
         * Sets the longest time until an instance is ready.
         *
         * @throws IllegalArgumentException if it is zero, negative or over 100 years
         */
        public Builder startUpLimit(Duration limit) {
            this.startUpLimit = checked("startUpLimit", limit);
            return this;
        }

        /**
         * Sets the longest time for which an instance that was ready may be unhealthy.
         *
         * @throws IllegalArgumentException if it is zero, negative or over 100 years
         */
        public Builder livenessLimit(Duration limit) {
            this.livenessLimit = checked("livenessLimit", limit);
            return this;
        }

        /**
         * Sets the interval of probes of a healthy instance.
         *
         * @throws IllegalArgumentException if it is zero, negative or over 100 years
         */
        public Builder probeInterval(Duration interval) {
            this.probeInterval = checked("probeInterval", interval);
            return this;
        }

        /**
         * Sets the shortest time between two probes of one instance.
         *
         * @throws IllegalArgumentException if it is zero, negative or over 100 years
         */
        public Builder probeSpacing(Duration spacing) {
            this.probeSpacing = checked("probeSpacing", spacing);
            return this;
        }

        /**
         * Sets the longest backoff before an instance that is not ready is probed again.
         *
         * @throws IllegalArgumentException if it is zero, negative or over 100 years
         */
        public Builder retryMax(Duration max) {
            this.retryMax = checked("retryMax", max);
            return this;
        }

        /**
         * Sets the interval at which the facts of a healthy process are read again.
         *
         * @throws IllegalArgumentException if it is zero, negative or over 100 years
         */
        public Builder factsInterval(Duration interval) {
            this.factsInterval = checked("factsInterval", interval);
            return this;
        }

        /**
         * Sets the interval at which the paths of all sockets are checked.
         *
         * @throws IllegalArgumentException if it is zero, negative or over 100 years
         */
        public Builder socketPollInterval(Duration interval) {
            this.socketPollInterval = checked("socketPollInterval", interval);
            return this;
        }

        /**
         * Sets the shortest time between two NodeGetInfo calls to one instance.
         *
         * @throws IllegalArgumentException if it is zero, negative or over 100 years
         */
        public Builder nodeInfoSpacing(Duration spacing) {
            this.nodeInfoSpacing = checked("nodeInfoSpacing", spacing);
            return this;
        }

        private static Duration checked(String option, Duration value) {
            Objects.requireNonNull(value, option);
            if (value.isZero() || value.isNegative() || value.compareTo(Duration.ofDays(36_500)) > 0) {
                throw new IllegalArgumentException("ConnectionOptions: " + option + " is " + value
                        + "; it must be longer than zero, and at most" + " 100 years");
            }
            return value;
        }

        /**
         * Builds the options.
         *
         * @throws IllegalArgumentException if the probe spacing is longer than the probe interval, or longer than the longest backoff
         */
        public ConnectionOptions build() {
            if (probeSpacing.compareTo(probeInterval) > 0 || probeSpacing.compareTo(retryMax) > 0) {
                throw new IllegalArgumentException("ConnectionOptions: probeSpacing " + probeSpacing
                        + " must not be longer than probeInterval " + probeInterval + " and retryMax " + retryMax);
            }
            return new ConnectionOptions(this);
        }
    }
}
