package io.csi4j.core.lifecycle;

import io.csi4j.core.call.CallRules;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.volume.FencingPolicy;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** How the engine behaves. Immutable. */
public final class LifecycleOptions {
    private static final LifecycleOptions DEFAULTS = builder().build();

    private final int callsInFlight;
    private final Map<PluginId, Integer> callsInFlightOf;
    private final Map<PluginId, Integer> callsPerVolume;
    private final Map<PluginId, CallRules> callRules;
    private final int callsPerNode;
    private final Duration callTimeout;
    private final Duration secretsTimeout;
    private final Duration logTimeout;
    private final Duration operationTimeout;
    private final Duration retryBase;
    private final Duration retryMost;
    private final Duration slowRetryBase;
    private final Duration slowRetryMost;
    private final Duration snapshotPollInterval;
    private final boolean contentSourceRequired;
    private final FencingPolicy fencingPolicy;
    private final Duration scanInterval;
    private final Duration pluginCollectionInterval;
    private final Duration reconciliationInterval;
    private final boolean reconciliationRepairs;
    private final Duration nodeInfoSpacing;

    private LifecycleOptions(Builder builder) {
        this.callsInFlight = builder.callsInFlight;
        this.callsInFlightOf = Map.copyOf(builder.callsInFlightOf);
        this.callsPerVolume = Map.copyOf(builder.callsPerVolume);
        this.callRules = Map.copyOf(builder.callRules);
        this.callsPerNode = builder.callsPerNode;
        this.callTimeout = builder.callTimeout;
        this.secretsTimeout = builder.secretsTimeout;
        this.logTimeout = builder.logTimeout;
        this.operationTimeout = builder.operationTimeout;
        this.retryBase = builder.retryBase;
        this.retryMost = builder.retryMost;
        this.slowRetryBase = builder.slowRetryBase;
        this.slowRetryMost = builder.slowRetryMost;
        this.snapshotPollInterval = builder.snapshotPollInterval;
        this.contentSourceRequired = builder.contentSourceRequired;
        this.fencingPolicy = builder.fencingPolicy;
        this.scanInterval = builder.scanInterval;
        this.pluginCollectionInterval = builder.pluginCollectionInterval;
        this.reconciliationInterval = builder.reconciliationInterval;
        this.reconciliationRepairs = builder.reconciliationRepairs;
        this.nodeInfoSpacing = builder.nodeInfoSpacing;
    }

    /**
     * The defaults, as each accessor states them.
     *
     * @return the options
     */
    public static LifecycleOptions ofDefaults() {
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
     * How many controller calls a plugin may have under way.
     *
     * @param plugin the plugin
     * @return 10 unless set otherwise, for all plugins or for this one
     */
    public int callsInFlight(PluginId plugin) {
        return callsInFlightOf.getOrDefault(plugin, callsInFlight);
    }

    /**
     * How many nodes a volume may be published to, or unpublished from, at the same time. CSI asks for one call
     * at a time for a volume (R26); for one volume on one node it is never more, whatever is set here.
     *
     * @param plugin the plugin
     * @return 1 unless set otherwise for this plugin
     */
    public int callsPerVolume(PluginId plugin) {
        return callsPerVolume.getOrDefault(plugin, 1);
    }

    /**
     * What failures of a plugin's calls mean for where the call is repeated: whether another instance is asked.
     *
     * @param plugin the plugin
     * @return those of CSI unless set otherwise for this plugin
     */
    public CallRules callRules(PluginId plugin) {
        return callRules.getOrDefault(plugin, CallRules.defaults());
    }

    /**
     * How many calls to the agent of one node may be under way. Of these two are kept for kinds of calls that others
     * would crowd out: detaching never waits for looks, nor they for it. More calls wait in turn.
     *
     * @return 64 unless set otherwise
     */
    public int callsPerNode() {
        return callsPerNode;
    }

    /**
     * After what time a call counts as lost, whatever the transport says. A request to fence a node that the host has
     * not taken by then is made again.
     *
     * @return 5 minutes unless set otherwise; best longer than the transport's own deadline
     */
    public Duration callTimeout() {
        return callTimeout;
    }

    /**
     * After what time, or up to a quarter of it later, the secrets of a call are waited for no more: it is not sent then,
     * and tried again later.
     *
     * @return 30 seconds unless set otherwise
     */
    public Duration secretsTimeout() {
        return secretsTimeout;
    }

    /**
     * After what time, or up to a quarter of it later, it counts as not known what came of a command that the log has not
     * answered. If it is applied later, that harms nothing.
     *
     * @return 1 minute unless set otherwise; best longer than the log's own deadline
     */
    public Duration logTimeout() {
        return logTimeout;
    }

    /**
     * How long an operation goes on trying, or waits for its place at a plugin, before it tells its caller that it is not
     * done yet. An attempt that has begun, or waits, goes on then, and so does the leader with what is on record.
     *
     * @return 10 minutes unless set otherwise
     */
    public Duration operationTimeout() {
        return operationTimeout;
    }

    /**
     * The first wait after an attempt whose outcome is not known; it doubles with each.
     *
     * @return 1 second unless set otherwise
     */
    public Duration retryBase() {
        return retryBase;
    }

    /**
     * The longest wait after attempts whose outcome is not known.
     *
     * @return 1 minute unless set otherwise
     */
    public Duration retryMost() {
        return retryMost;
    }

    /**
     * The first wait after an attempt that failed for a cause somebody has to cure; it doubles with each.
     *
     * @return 10 seconds unless set otherwise
     */
    public Duration slowRetryBase() {
        return slowRetryBase;
    }

    /**
     * The longest wait after attempts that failed for a cause somebody has to cure.
     *
     * @return 5 minutes unless set otherwise
     */
    public Duration slowRetryMost() {
        return slowRetryMost;
    }

    /**
     * How often a snapshot that is not ready yet is asked about (R77).
     *
     * @return 5 seconds unless set otherwise
     */
    public Duration snapshotPollInterval() {
        return snapshotPollInterval;
    }

    /**
     * Whether a volume made from a source has to say so in the answer, as not every provider does (R57).
     *
     * @return true unless set otherwise: then an answer without it counts as wrong
     */
    public boolean contentSourceRequired() {
        return contentSourceRequired;
    }

    /**
     * What the claims of volumes that declare no policy of their own wait for when their node is down (N2).
     *
     * @return to wait for confirmation unless set otherwise
     */
    public FencingPolicy fencingPolicy() {
        return fencingPolicy;
    }

    /**
     * How often all volumes are looked at, for what no event told of.
     *
     * @return 1 minute unless set otherwise
     */
    public Duration scanInterval() {
        return scanInterval;
    }

    /**
     * How often the leader looks for plugins that nothing runs, is meant to run or refers to, and forgets them (S18).
     * Each time comes up to a tenth of it early or late.
     *
     * @return 10 minutes unless set otherwise; zero: never
     */
    public Duration pluginCollectionInterval() {
        return pluginCollectionInterval;
    }

    /**
     * How often the leader compares where providers have volumes attached with where they should be (N8), for each plugin
     * that can tell. Each time comes up to a tenth of it early or late.
     *
     * @return zero unless set otherwise: never
     */
    public Duration reconciliationInterval() {
        return reconciliationInterval;
    }

    /**
     * Whether what differs then is repaired, and not only told as an event.
     *
     * @return false unless set otherwise
     */
    public boolean reconciliationRepairs() {
        return reconciliationRepairs;
    }

    /**
     * How long a node's plugin is left in peace after it was asked how much room there is (NodeGetInfo, R93). It is asked
     * when a publish was refused as if the node were full (RESOURCE_EXHAUSTED); refusals meanwhile are asked about once,
     * when that time is over.
     *
     * @return 30 seconds unless set otherwise
     */
    public Duration nodeInfoSpacing() {
        return nodeInfoSpacing;
    }

    /** Builds {@link LifecycleOptions}. Not safe for use by several threads. */
    public static final class Builder {
        private final Map<PluginId, Integer> callsInFlightOf = new HashMap<>();
        private final Map<PluginId, Integer> callsPerVolume = new HashMap<>();
        private final Map<PluginId, CallRules> callRules = new HashMap<>();
        private int callsInFlight = 10;
        private int callsPerNode = 64;
        private Duration callTimeout = Duration.ofMinutes(5);
        private Duration secretsTimeout = Duration.ofSeconds(30);
        private Duration logTimeout = Duration.ofMinutes(1);
        private Duration operationTimeout = Duration.ofMinutes(10);
        private Duration retryBase = Duration.ofSeconds(1);
        private Duration retryMost = Duration.ofMinutes(1);
        private Duration slowRetryBase = Duration.ofSeconds(10);
        private Duration slowRetryMost = Duration.ofMinutes(5);
        private Duration snapshotPollInterval = Duration.ofSeconds(5);
        private boolean contentSourceRequired = true;
        private FencingPolicy fencingPolicy = FencingPolicy.waitForConfirmation();
        private Duration scanInterval = Duration.ofMinutes(1);
        private Duration pluginCollectionInterval = Duration.ofMinutes(10);
        private Duration reconciliationInterval = Duration.ZERO;
        private boolean reconciliationRepairs;
        private Duration nodeInfoSpacing = Duration.ofSeconds(30);

        private Builder() {}

        /**
         * Sets how many controller calls any plugin may have under way.
         *
         * @param calls 1 or more
         * @return this
         * @throws IllegalArgumentException if below 1
         */
        public Builder callsInFlight(int calls) {
            this.callsInFlight = atLeastOne("callsInFlight", calls);
            return this;
        }

        /**
         * Sets how many controller calls one plugin may have under way.
         *
         * @param plugin the plugin
         * @param calls 1 or more; 1 for a plugin that does not bear calls at the same time
         * @return this
         * @throws IllegalArgumentException if below 1
         */
        public Builder callsInFlight(PluginId plugin, int calls) {
            callsInFlightOf.put(Objects.requireNonNull(plugin, "plugin"), atLeastOne("callsInFlight", calls));
            return this;
        }

        /**
         * Sets how many nodes a volume of one plugin may be published to, or unpublished from, at the same time. Only for
         * a plugin that is known to cope: others answer ABORTED, or do worse (R26).
         *
         * @param plugin the plugin
         * @param calls 1 or more
         * @return this
         * @throws IllegalArgumentException if below 1
         */
        public Builder callsPerVolume(PluginId plugin, int calls) {
            callsPerVolume.put(Objects.requireNonNull(plugin, "plugin"), atLeastOne("callsPerVolume", calls));
            return this;
        }

        /**
         * Sets the rules of a plugin that uses status codes otherwise than CSI has it. They should be those that its
         * clients have.
         *
         * @param plugin the plugin
         * @param rules its rules
         * @return this
         */
        public Builder callRules(PluginId plugin, CallRules rules) {
            callRules.put(Objects.requireNonNull(plugin, "plugin"), Objects.requireNonNull(rules, "rules"));
            return this;
        }

        /**
         * Sets how many calls to the agent of one node may be under way.
         *
         * @param calls 1 or more
         * @return this
         * @throws IllegalArgumentException if below 1
         */
        public Builder callsPerNode(int calls) {
            this.callsPerNode = atLeastOne("callsPerNode", calls);
            return this;
        }

        private static int atLeastOne(String option, int calls) {
            if (calls < 1) {
                throw new IllegalArgumentException("LifecycleOptions: " + option + " is " + calls + "; use 1 or more");
            }
            return calls;
        }

        /**
         * Sets after what time a call counts as lost.
         *
         * @param timeout above zero
         * @return this
         * @throws IllegalArgumentException if not above zero
         */
        public Builder callTimeout(Duration timeout) {
            this.callTimeout = positive("callTimeout", timeout);
            return this;
        }

        /**
         * Sets after what time the secrets of a call are waited for no more.
         *
         * @param timeout above zero
         * @return this
         * @throws IllegalArgumentException if not above zero
         */
        public Builder secretsTimeout(Duration timeout) {
            this.secretsTimeout = positive("secretsTimeout", timeout);
            return this;
        }

        /**
         * Sets after what time it counts as not known what came of a command.
         *
         * @param timeout above zero
         * @return this
         * @throws IllegalArgumentException if not above zero
         */
        public Builder logTimeout(Duration timeout) {
            this.logTimeout = positive("logTimeout", timeout);
            return this;
        }

        /**
         * Sets how long an operation goes on trying.
         *
         * @param timeout above zero
         * @return this
         * @throws IllegalArgumentException if not above zero
         */
        public Builder operationTimeout(Duration timeout) {
            this.operationTimeout = positive("operationTimeout", timeout);
            return this;
        }

        /**
         * Sets the waits after attempts whose outcome is not known.
         *
         * @param base the first, above zero
         * @param most the longest, not below the first
         * @return this
         * @throws IllegalArgumentException if out of these bounds
         */
        public Builder retry(Duration base, Duration most) {
            this.retryBase = positive("retryBase", base);
            this.retryMost = notBelow("retryMost", most, base);
            return this;
        }

        /**
         * Sets the waits after attempts that failed for a cause somebody has to cure.
         *
         * @param base the first, above zero
         * @param most the longest, not below the first
         * @return this
         * @throws IllegalArgumentException if out of these bounds
         */
        public Builder slowRetry(Duration base, Duration most) {
            this.slowRetryBase = positive("slowRetryBase", base);
            this.slowRetryMost = notBelow("slowRetryMost", most, base);
            return this;
        }

        /**
         * Sets how often a snapshot that is not ready yet is asked about.
         *
         * @param interval above zero
         * @return this
         * @throws IllegalArgumentException if not above zero
         */
        public Builder snapshotPollInterval(Duration interval) {
            this.snapshotPollInterval = positive("snapshotPollInterval", interval);
            return this;
        }

        /**
         * Sets whether a volume made from a source has to say so in the answer.
         *
         * @param required false for providers that leave it out
         * @return this
         */
        public Builder contentSourceRequired(boolean required) {
            this.contentSourceRequired = required;
            return this;
        }

        /**
         * Sets what the claims of volumes that declare no policy wait for when their node is down.
         *
         * @param policy the host's own
         * @return this
         */
        public Builder fencingPolicy(FencingPolicy policy) {
            this.fencingPolicy = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /**
         * Sets how long a node's plugin is left in peace after it was asked how much room there is.
         *
         * @param spacing longer than zero
         * @return this
         * @throws IllegalArgumentException if it is not
         */
        public Builder nodeInfoSpacing(Duration spacing) {
            this.nodeInfoSpacing = positive("nodeInfoSpacing", spacing);
            return this;
        }

        /**
         * Sets how often all volumes are looked at.
         *
         * @param interval above zero
         * @return this
         * @throws IllegalArgumentException if not above zero
         */
        public Builder scanInterval(Duration interval) {
            this.scanInterval = positive("scanInterval", interval);
            return this;
        }

        /**
         * Sets how often the leader forgets plugins that nothing is left of.
         *
         * @param interval zero for never
         * @return this
         * @throws IllegalArgumentException if negative
         */
        public Builder pluginCollectionInterval(Duration interval) {
            this.pluginCollectionInterval = notBelow("pluginCollectionInterval", interval, Duration.ZERO);
            return this;
        }

        /**
         * Sets how often the leader compares where providers have volumes attached with where they should be.
         *
         * @param interval zero for never
         * @param repair whether to repair what differs; otherwise it is only told as an event
         * @return this
         * @throws IllegalArgumentException if negative
         */
        public Builder reconciliation(Duration interval, boolean repair) {
            this.reconciliationInterval = notBelow("reconciliationInterval", interval, Duration.ZERO);
            this.reconciliationRepairs = repair;
            return this;
        }

        private static Duration positive(String option, Duration value) {
            if (value.isNegative() || value.isZero()) {
                throw new IllegalArgumentException(
                        "LifecycleOptions: " + option + " is " + value + "; use more than zero");
            }
            return value;
        }

        private static Duration notBelow(String option, Duration value, Duration least) {
            if (value.compareTo(least) < 0) {
                throw new IllegalArgumentException(
                        "LifecycleOptions: " + option + " is " + value + "; use " + least + " or more");
            }
            return value;
        }

        /**
         * The options built so far.
         *
         * @return immutable options
         */
        public LifecycleOptions build() {
            return new LifecycleOptions(this);
        }
    }
}
