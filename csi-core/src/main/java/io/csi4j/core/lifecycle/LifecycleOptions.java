package io.csi4j.core.lifecycle;

import io.csi4j.core.volume.FencingPolicy;
import java.time.Duration;
import java.util.Objects;

/** The settings of an engine. Immutable. */
public final class LifecycleOptions {
    private static final LifecycleOptions DEFAULTS = builder().build();

    private final int callsInFlight;
    private final int callsPerNode;
    private final Duration callTimeout;
    private final Duration secretsTimeout;
    private final Duration logTimeout;
    private final Duration operationTimeout;
    private final Duration retryBase;
    private final Duration retryMax;
    private final Duration slowRetryBase;
    private final Duration slowRetryMax;
    private final Duration snapshotPollInterval;
    private final boolean contentSourceRequired;
    private final FencingPolicy fencingPolicy;
    private final Duration scanInterval;
    private final Duration unusedPluginRemovalInterval;
    private final Duration reconciliationInterval;
    private final boolean reconciliationRepairs;
    private final Duration claimPatience;
    private final Duration nodeInfoSpacing;
    private final Duration nodeReportInterval;
    private final Duration capacityInterval;
    private final Duration capacityCallSpacing;

    private LifecycleOptions(Builder builder) {
        this.callsInFlight = builder.callsInFlight;
        this.callsPerNode = builder.callsPerNode;
        this.callTimeout = builder.callTimeout;
        this.secretsTimeout = builder.secretsTimeout;
        this.logTimeout = builder.logTimeout;
        this.operationTimeout = builder.operationTimeout;
        this.retryBase = builder.retryBase;
        this.retryMax = builder.retryMax;
        this.slowRetryBase = builder.slowRetryBase;
        this.slowRetryMax = builder.slowRetryMax;
        this.snapshotPollInterval = builder.snapshotPollInterval;
        this.contentSourceRequired = builder.contentSourceRequired;
        this.fencingPolicy = builder.fencingPolicy;
        this.scanInterval = builder.scanInterval;
        this.unusedPluginRemovalInterval = builder.unusedPluginRemovalInterval;
        this.reconciliationInterval = builder.reconciliationInterval;
        this.reconciliationRepairs = builder.reconciliationRepairs;
        this.claimPatience = builder.claimPatience;
        this.nodeInfoSpacing = builder.nodeInfoSpacing;
        this.nodeReportInterval = builder.nodeReportInterval;
        this.capacityInterval = builder.capacityInterval;
        this.capacityCallSpacing = builder.capacityCallSpacing;
    }

    /** Returns the default options. Each accessor documents its default. */
    public static LifecycleOptions ofDefaults() {
        return DEFAULTS;
    }

    /** Returns a builder with the default options. */
    public static Builder builder() {
        return new Builder();
    }

    /**
     * Returns the number of controller calls that a plugin may have in flight at one time, unless its {@link
     * io.csi4j.core.plugin.CallSettings profile} says another number. Default: 10.
     */
    public int callsInFlight() {
        return callsInFlight;
    }

    /**
     * Returns the number of calls to one node's agent that may be in flight at one time. Further calls wait in a queue.
     * Default: 64. One place is kept free for calls that detach volumes, and one for queries, so that many queries do
     * not delay a detachment, and many detachments do not delay a query.
     */
    public int callsPerNode() {
        return callsPerNode;
    }

    /**
     * Returns the time after which the outcome of a call without a response counts as unknown. Default: 6 minutes; use
     * more than the transport's longest deadline, because the failure of the transport says more. A request to fence a node has the same time limit: if the host has not
     * answered by then, the engine later sends the request again.
     */
    public Duration callTimeout() {
        return callTimeout;
    }

    /**
     * Returns how long a call waits for its secrets. The engine adds a random part of up to a quarter of this time.
     * Default: 30 seconds. If the secrets do not arrive in time, the call is not sent and is retried later.
     */
    public Duration secretsTimeout() {
        return secretsTimeout;
    }

    /**
     * Returns how long the engine waits for the log to answer a command. The engine adds a random part of up to a
     * quarter of this time. After that time the outcome of the command counts as unknown. Default: 1 minute; use more
     * than the log's own deadline. The log may still apply the command later; this does no harm.
     */
    public Duration logTimeout() {
        return logTimeout;
    }

    /**
     * Returns how long an operation retries, or waits for its turn to call the plugin, before its future fails with an
     * {@link UnfinishedException}. Default: 10 minutes. After such a failure, a call in flight continues, and the
     * leader continues with the stored intent.
     */
    public Duration operationTimeout() {
        return operationTimeout;
    }

    /**
     * Returns the longest backoff after a first attempt with an unknown outcome. Each further attempt doubles this
     * limit, up to {@link #retryMax}. Default: 1 second.
     */
    public Duration retryBase() {
        return retryBase;
    }

    /** Returns the longest backoff after attempts with an unknown outcome. Default: 1 minute. */
    public Duration retryMax() {
        return retryMax;
    }

    /**
     * Returns the longest backoff after a first attempt that failed for a cause that has to be removed first, such as
     * missing permissions. Each further attempt doubles this limit, up to {@link #slowRetryMax}. Default: 10 seconds.
     */
    public Duration slowRetryBase() {
        return slowRetryBase;
    }

    /**
     * Returns the longest backoff after attempts that failed for a cause that has to be removed first. Default: 5
     * minutes.
     */
    public Duration slowRetryMax() {
        return slowRetryMax;
    }

    /**
     * Returns the interval at which the engine asks the plugin whether a snapshot is ready (R77). Default: 5 seconds.
     */
    public Duration snapshotPollInterval() {
        return snapshotPollInterval;
    }

    /**
     * Returns whether the plugin's response must name the source of a volume that was created from a snapshot or from
     * another volume. Some plugins leave the source out (R57). Default: true, so a response without the source counts
     * as wrong.
     */
    public boolean contentSourceRequired() {
        return contentSourceRequired;
    }

    /** Returns the fencing policy of volumes that declare none. Default: wait for confirmation. */
    public FencingPolicy fencingPolicy() {
        return fencingPolicy;
    }

    /**
     * Returns the interval at which the reconciler scans all volumes, in case an event was missed. Default: 1 minute.
     */
    public Duration scanInterval() {
        return scanInterval;
    }

    /**
     * Returns the interval at which the leader removes plugins that have no instance, healthy or not, no deployment and no volume. Each
     * interval is changed at random by up to a tenth. Default: 10 minutes; zero means never.
     */
    public Duration unusedPluginRemovalInterval() {
        return unusedPluginRemovalInterval;
    }

    /**
     * Returns the interval at which the leader compares the attachments in the state with those at the storage
     * providers, for each plugin that can list them. Each interval is changed at random by up to a tenth. Default:
     * zero, which means never.
     */
    public Duration reconciliationInterval() {
        return reconciliationInterval;
    }

    /**
     * Returns whether the periodic comparison of attachments repairs the differences that it finds. Otherwise it only
     * reports an event for each difference. Default: false.
     */
    public boolean reconciliationRepairs() {
        return reconciliationRepairs;
    }

    /**
     * Returns how long a claim waits for a volume that it makes while the plugin has not said whether it made the volume.
     * Then the claim is refused with {@link io.csi4j.core.command.NeverReason#CREATION_UNSETTLED}, and the creation is
     * continued: a claim on the same node waits for it, and a claim on another node makes another volume. Default: 3
     * minutes.
     */
    public Duration claimPatience() {
        return claimPatience;
    }

    /**
     * Returns the shortest interval between two NodeGetInfo calls (R93) to a plugin on one node. The engine makes this
     * call after a publish failed with RESOURCE_EXHAUSTED, to learn the node's limit of volumes. All such failures
     * within the interval cause only one more call, at the end of the interval. Default: 30 seconds.
     */
    public Duration nodeInfoSpacing() {
        return nodeInfoSpacing;
    }

    /**
     * Returns the interval at which the leader asks the agents of all nodes for a report: what the nodes have of
     * volumes, and which of their work is not finished. Default: 30 seconds; zero means never, and then
     * {@link OperatorActions#nodes} and the health check do not know the nodes' side.
     */
    public Duration nodeReportInterval() {
        return nodeReportInterval;
    }

    /**
     * Returns the interval at which the leader asks plugins with GET_CAPACITY for their free capacity (R75), for each class
     * and topology. Default: 1 minute; zero means never. An answer excludes nodes only while it is younger than two
     * intervals. A plugin with more questions than {@link #capacityCallSpacing} allows in an interval is asked less often.
     */
    public Duration capacityInterval() {
        return capacityInterval;
    }

    /**
     * Returns the shortest time between the beginnings of two GetCapacity calls that the leader makes to one plugin by
     * itself. At most one of them is in flight. Default: 1 second.
     */
    public Duration capacityCallSpacing() {
        return capacityCallSpacing;
    }

    /** Builds {@link LifecycleOptions}. Not thread-safe. */
    public static final class Builder {
        private int callsInFlight = 10;
        private int callsPerNode = 64;
        private Duration callTimeout = Duration.ofMinutes(6);
        private Duration secretsTimeout = Duration.ofSeconds(30);
        private Duration logTimeout = Duration.ofMinutes(1);
        private Duration operationTimeout = Duration.ofMinutes(10);
        private Duration retryBase = Duration.ofSeconds(1);
        private Duration retryMax = Duration.ofMinutes(1);
        private Duration slowRetryBase = Duration.ofSeconds(10);
        private Duration slowRetryMax = Duration.ofMinutes(5);
        private Duration snapshotPollInterval = Duration.ofSeconds(5);
        private boolean contentSourceRequired = true;
        private FencingPolicy fencingPolicy = FencingPolicy.waitForConfirmation();
        private Duration scanInterval = Duration.ofMinutes(1);
        private Duration unusedPluginRemovalInterval = Duration.ofMinutes(10);
        private Duration reconciliationInterval = Duration.ZERO;
        private boolean reconciliationRepairs;
        private Duration claimPatience = Duration.ofMinutes(3);
        private Duration nodeInfoSpacing = Duration.ofSeconds(30);
        private Duration nodeReportInterval = Duration.ofSeconds(30);
        private Duration capacityInterval = Duration.ofMinutes(1);
        private Duration capacityCallSpacing = Duration.ofSeconds(1);

        private Builder() {}

        /**
         * Sets the number of controller calls that each plugin may have in flight at one time, unless its profile says another
         * number.
         *
         * @throws IllegalArgumentException if below 1
         */
        public Builder callsInFlight(int calls) {
            this.callsInFlight = atLeastOne("callsInFlight", calls);
            return this;
        }

        /**
         * Sets the number of calls to one node's agent that may be in flight at one time.
         *
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
         * Sets the time after which the outcome of a call without a response counts as unknown.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder callTimeout(Duration timeout) {
            this.callTimeout = positive("callTimeout", timeout);
            return this;
        }

        /**
         * Sets the time that a call waits for its secrets.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder secretsTimeout(Duration timeout) {
            this.secretsTimeout = positive("secretsTimeout", timeout);
            return this;
        }

        /**
         * Sets how long the engine waits for the log to answer a command; after that time the outcome of the command
         * counts as unknown.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder logTimeout(Duration timeout) {
            this.logTimeout = positive("logTimeout", timeout);
            return this;
        }

        /**
         * Sets the time for which an operation retries.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder operationTimeout(Duration timeout) {
            this.operationTimeout = positive("operationTimeout", timeout);
            return this;
        }

        /**
         * Sets the backoff after attempts with an unknown outcome.
         *
         * @param base the longest backoff after the first attempt, above zero
         * @param max the longest backoff after any attempt, not below {@code base}
         * @throws IllegalArgumentException if out of these bounds
         */
        public Builder retry(Duration base, Duration max) {
            this.retryBase = positive("retryBase", base);
            this.retryMax = notBelow("retryMax", max, base);
            return this;
        }

        /**
         * Sets the backoff after attempts that failed for a cause that has to be removed first.
         *
         * @param base the longest backoff after the first attempt, above zero
         * @param max the longest backoff after any attempt, not below {@code base}
         * @throws IllegalArgumentException if out of these bounds
         */
        public Builder slowRetry(Duration base, Duration max) {
            this.slowRetryBase = positive("slowRetryBase", base);
            this.slowRetryMax = notBelow("slowRetryMax", max, base);
            return this;
        }

        /**
         * Sets the interval at which the engine asks the plugin whether a snapshot is ready.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder snapshotPollInterval(Duration interval) {
            this.snapshotPollInterval = positive("snapshotPollInterval", interval);
            return this;
        }

        /**
         * Sets whether the plugin's response must name the source of a volume that was created from a snapshot or from
         * another volume.
         *
         * @param required false for plugins that leave the source out
         */
        public Builder contentSourceRequired(boolean required) {
            this.contentSourceRequired = required;
            return this;
        }

        /** Sets the fencing policy of volumes that declare none. */
        public Builder fencingPolicy(FencingPolicy policy) {
            this.fencingPolicy = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /**
         * Sets how long a claim waits for a volume of which the plugin has not said whether it made it.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder claimPatience(Duration patience) {
            this.claimPatience = positive("claimPatience", patience);
            return this;
        }

        /**
         * Sets the shortest interval between two NodeGetInfo calls to a plugin on one node.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder nodeInfoSpacing(Duration spacing) {
            this.nodeInfoSpacing = positive("nodeInfoSpacing", spacing);
            return this;
        }

        /**
         * Sets the interval at which the reconciler scans all volumes.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder scanInterval(Duration interval) {
            this.scanInterval = positive("scanInterval", interval);
            return this;
        }

        /**
         * Sets the interval at which the leader removes plugins that have no instance, healthy or not, no deployment
         * and no volume. Normally a plugin is removed with its last instance or deployment; this removes what was left over.
         *
         * @param interval zero for never
         * @throws IllegalArgumentException if negative
         */
        public Builder unusedPluginRemovalInterval(Duration interval) {
            this.unusedPluginRemovalInterval = notBelow("unusedPluginRemovalInterval", interval, Duration.ZERO);
            return this;
        }

        /**
         * Sets the interval at which the leader compares the attachments in the state with those at the storage
         * providers.
         *
         * @param interval zero for never
         * @param repair whether to repair differences; otherwise the engine only reports an event for each difference
         * @throws IllegalArgumentException if negative
         */
        public Builder reconciliation(Duration interval, boolean repair) {
            this.reconciliationInterval = notBelow("reconciliationInterval", interval, Duration.ZERO);
            this.reconciliationRepairs = repair;
            return this;
        }

        /**
         * Sets the interval at which the leader asks the agents of all nodes for a report. Default: 30 seconds.
         *
         * @param interval zero: never
         * @throws IllegalArgumentException if negative
         */
        public Builder nodeReportInterval(Duration interval) {
            this.nodeReportInterval = notBelow("nodeReportInterval", interval, Duration.ZERO);
            return this;
        }

        /**
         * Sets the interval at which the leader asks plugins for their free capacity. Default: 1 minute.
         *
         * @param interval zero: never
         * @throws IllegalArgumentException if negative
         */
        public Builder capacityInterval(Duration interval) {
            this.capacityInterval = notBelow("capacityInterval", interval, Duration.ZERO);
            return this;
        }

        /**
         * Sets the shortest time between the beginnings of two GetCapacity calls that the leader makes to one plugin by
         * itself.
         *
         * @throws IllegalArgumentException if not above zero
         */
        public Builder capacityCallSpacing(Duration spacing) {
            this.capacityCallSpacing = positive("capacityCallSpacing", spacing);
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

        public LifecycleOptions build() {
            return new LifecycleOptions(this);
        }
    }
}
