package io.csi4j.registry.instance;

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
 *   <tr><td>probe interval while all is well</td><td>15 s, up to a tenth shorter or longer</td></tr>
 *   <tr><td>spacing, the least time between two probes (R41)</td><td>500 ms</td></tr>
 *   <tr><td>probes of an instance that is not ready</td><td>after 500 ms, doubling to 5 s</td></tr>
 *   <tr><td>facts are read again</td><td>10 min</td></tr>
 *   <tr><td>spacing, the least time between two questions for a node's room (R93)</td><td>10 s</td></tr>
 *   <tr><td>looks at the sockets' paths</td><td>250 ms</td></tr>
 * </table>
 */
public final class ConnectionOptions {
    private static final ConnectionOptions DEFAULTS = new Builder().build();

    private final Duration startUpLimit;
    private final Duration livenessLimit;
    private final Duration probeInterval;
    private final Duration probeSpacing;
    private final Duration retryMost;
    private final Duration factsInterval;
    private final Duration lookInterval;
    private final Duration nodeInfoSpacing;

    private ConnectionOptions(Builder builder) {
        this.startUpLimit = builder.startUpLimit;
        this.livenessLimit = builder.livenessLimit;
        this.probeInterval = builder.probeInterval;
        this.probeSpacing = builder.probeSpacing;
        this.retryMost = builder.retryMost;
        this.factsInterval = builder.factsInterval;
        this.lookInterval = builder.lookInterval;
        this.nodeInfoSpacing = builder.nodeInfoSpacing;
    }

    /**
     * The table above.
     *
     * @return the defaults
     */
    public static ConnectionOptions ofDefaults() {
        return DEFAULTS;
    }

    /**
     * A builder that begins with the defaults.
     *
     * @return a new builder
     */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * How long an instance may take to become ready.
     *
     * @return counted from its registration, and from when another process takes its socket
     */
    public Duration startUpLimit() {
        return startUpLimit;
    }

    /**
     * How long an instance that was ready may be unwell.
     *
     * @return counted from the first failure
     */
    public Duration livenessLimit() {
        return livenessLimit;
    }

    /**
     * How often an instance is probed while all is well.
     *
     * @return the interval, before jitter
     */
    public Duration probeInterval() {
        return probeInterval;
    }

    /**
     * The least time between two probes of one instance, whatever happens (R41).
     *
     * @return the spacing
     */
    public Duration probeSpacing() {
        return probeSpacing;
    }

    /**
     * The longest pause before an instance that is not ready is probed again; the first is the spacing.
     *
     * @return the pause, before jitter
     */
    public Duration retryMost() {
        return retryMost;
    }

    /**
     * After how long the facts of a process that is well are read again.
     *
     * @return the interval; they are also read when another process takes the socket
     */
    public Duration factsInterval() {
        return factsInterval;
    }

    /**
     * How often the paths of all sockets are looked at, all in one go.
     *
     * @return the interval
     */
    public Duration lookInterval() {
        return lookInterval;
    }

    /**
     * The least time between two questions of an instance for its node's room alone (NodeGetInfo, R93). It is asked when
     * a call was refused as if the node were full, or {@code PluginRegistry.refreshNodeInfo} was called.
     *
     * @return the spacing
     */
    public Duration nodeInfoSpacing() {
        return nodeInfoSpacing;
    }

    @Override
    public String toString() {
        return "ConnectionOptions[startUpLimit=" + startUpLimit + ", livenessLimit=" + livenessLimit
                + ", probeInterval=" + probeInterval + ", probeSpacing=" + probeSpacing + ", retryMost=" + retryMost
                + ", factsInterval=" + factsInterval + ", lookInterval=" + lookInterval
                + ", nodeInfoSpacing=" + nodeInfoSpacing + "]";
    }

    /** Builds {@link ConnectionOptions}. Not safe for use by several threads. */
    public static final class Builder {
        private Duration startUpLimit = Duration.ofMinutes(1);
        private Duration livenessLimit = Duration.ofMinutes(1);
        private Duration probeInterval = Duration.ofSeconds(15);
        private Duration probeSpacing = Duration.ofMillis(500);
        private Duration retryMost = Duration.ofSeconds(5);
        private Duration factsInterval = Duration.ofMinutes(10);
        private Duration lookInterval = Duration.ofMillis(250);
        private Duration nodeInfoSpacing = Duration.ofSeconds(10);

        private Builder() {}

        /**
         * Sets how long an instance may take to become ready.
         *
         * @param limit longer than zero
         * @return this
         * @throws IllegalArgumentException if it is zero, negative or over 100 years
         */
        public Builder startUpLimit(Duration limit) {
            this.startUpLimit = checked("startUpLimit", limit);
            return this;
        }

        /**
         * Sets how long an instance that was ready may be unwell.
         *
         * @param limit longer than zero
         * @return this
         * @throws IllegalArgumentException if it is zero, negative or over 100 years
         */
        public Builder livenessLimit(Duration limit) {
            this.livenessLimit = checked("livenessLimit", limit);
            return this;
        }

        /**
         * Sets how often an instance is probed while all is well.
         *
         * @param interval longer than zero
         * @return this
         * @throws IllegalArgumentException if it is zero, negative or over 100 years
         */
        public Builder probeInterval(Duration interval) {
            this.probeInterval = checked("probeInterval", interval);
            return this;
        }

        /**
         * Sets the least time between two probes of one instance.
         *
         * @param spacing longer than zero
         * @return this
         * @throws IllegalArgumentException if it is zero, negative or over 100 years
         */
        public Builder probeSpacing(Duration spacing) {
            this.probeSpacing = checked("probeSpacing", spacing);
            return this;
        }

        /**
         * Sets the longest pause before an instance that is not ready is probed again.
         *
         * @param most longer than zero
         * @return this
         * @throws IllegalArgumentException if it is zero, negative or over 100 years
         */
        public Builder retryMost(Duration most) {
            this.retryMost = checked("retryMost", most);
            return this;
        }

        /**
         * Sets after how long facts are read again.
         *
         * @param interval longer than zero
         * @return this
         * @throws IllegalArgumentException if it is zero, negative or over 100 years
         */
        public Builder factsInterval(Duration interval) {
            this.factsInterval = checked("factsInterval", interval);
            return this;
        }

        /**
         * Sets how often the paths of all sockets are looked at.
         *
         * @param interval longer than zero
         * @return this
         * @throws IllegalArgumentException if it is zero, negative or over 100 years
         */
        public Builder lookInterval(Duration interval) {
            this.lookInterval = checked("lookInterval", interval);
            return this;
        }

        /**
         * Sets the least time between two questions of an instance for its node's room.
         *
         * @param spacing longer than zero
         * @return this
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
         * The options.
         *
         * @return immutable options
         * @throws IllegalArgumentException if the spacing is longer than the probe interval or the longest pause
         */
        public ConnectionOptions build() {
            if (probeSpacing.compareTo(probeInterval) > 0 || probeSpacing.compareTo(retryMost) > 0) {
                throw new IllegalArgumentException("ConnectionOptions: probeSpacing " + probeSpacing
                        + " must not be longer than probeInterval " + probeInterval + " and retryMost " + retryMost);
            }
            return new ConnectionOptions(this);
        }
    }
}
