package io.csi4j.core.internal.plan;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.state.Placement;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * What {@link VolumePlan} has to know besides the volume. Nothing of it is guessed: what the state does
 * not tell is unknown, and unknown is waited for.
 */
public final class PlanFacts {
    private final Instant now;
    private final FencingPolicy defaultFencing;
    private final ControllerNeed controllerNeed;
    private final ControllerNeed expansionNeed;
    private final boolean expandsOfflineOnly;
    private final BooleanSupplier controllerAvailable;
    private final Function<NodeId, Optional<Node>> nodes;
    private final Predicate<AllocationId> over;
    private final InFlightSnapshot calls;
    private final int maxControllerCalls;
    private final Set<NodeId> fenceRequested;
    private final boolean sweep;
    private final Set<Retry> tryNow;

    private PlanFacts(Builder builder) {
        this.now = builder.now;
        this.defaultFencing = builder.defaultFencing;
        this.controllerNeed = builder.controllerNeed;
        this.expansionNeed = builder.expansionNeed;
        this.expandsOfflineOnly = builder.expandsOfflineOnly;
        this.controllerAvailable = builder.controllerAvailable;
        this.nodes = builder.nodes;
        this.over = builder.over;
        this.calls = builder.calls;
        this.maxControllerCalls = builder.maxControllerCalls;
        this.fenceRequested = builder.fenceRequested;
        this.sweep = builder.sweep;
        this.tryNow = builder.tryNow;
    }

    /**
     * A builder with nothing known.
     *
     * @param now the time
     * @return a new builder
     */
    public static Builder builder(Instant now) {
        return new Builder(now);
    }

    /**
     * A builder with what one state tells about a volume's plugin, nodes and claimants. They are looked up
     * when they are asked for.
     *
     * @param state a snapshot, the one the volume is from
     * @param volume the volume
     * @param now the time
     * @return a new builder
     */
    public static Builder from(StateReader state, Volume volume, Instant now) {
        PluginId pluginId = volume.pluginId();
        Optional<PluginFacts> told = state.facts(pluginId);
        return new Builder(now)
                .controllerNeed(told.map(PluginFacts::controllerNeed).orElse(ControllerNeed.UNKNOWN))
                .expansion(
                        told.map(PluginFacts::expansionNeed).orElse(ControllerNeed.UNKNOWN),
                        told.filter(PluginFacts::expandsOfflineOnly).isPresent())
                .controllerAvailable(() -> Placement.healthyController(state, pluginId))
                .nodes(state::node)
                // An allocation was told of before it could claim, so one that is not there was forgotten: it is over.
                .over(id -> state.allocation(id).map(Allocation::ended).orElse(true));
    }

    /**
     * The time.
     *
     * @return by the clock of whoever asks
     */
    public Instant now() {
        return now;
    }

    /**
     * What a volume's claims wait for when their node is down.
     *
     * @param volume the volume
     * @return its own policy, or else the host's
     */
    public FencingPolicy fencingPolicy(Volume volume) {
        return volume.spec().declaredFencingPolicy().orElse(defaultFencing);
    }

    /**
     * Whether the volume's plugin attaches by its controller.
     *
     * @return UNKNOWN while it has not told
     */
    public ControllerNeed controllerNeed() {
        return controllerNeed;
    }

    /**
     * Whether volumes of the plugin are expanded by its controller, or by nodes alone.
     *
     * @return UNKNOWN while it has not told
     */
    public ControllerNeed expansionNeed() {
        return expansionNeed;
    }

    /**
     * Whether the plugin expands volumes only while they are not in use (R82).
     *
     * @return true if it told so
     */
    public boolean expandsOfflineOnly() {
        return expandsOfflineOnly;
    }

    /**
     * Whether a healthy instance of the plugin's controller service is on a node that answers.
     *
     * @return true if so
     */
    public boolean controllerAvailable() {
        return controllerAvailable.getAsBoolean();
    }

    /**
     * What the host says about a node.
     *
     * @param nodeId the node
     * @return empty: nothing
     */
    public Optional<Node> node(NodeId nodeId) {
        return nodes.apply(nodeId);
    }

    /**
     * Whether an allocation that has a claim is over: it has ended, or the host forgot it.
     *
     * @param allocationId the allocation
     * @return true if so
     */
    public boolean over(AllocationId allocationId) {
        return over.test(allocationId);
    }

    /**
     * The calls that have not ended.
     *
     * @return possibly none
     */
    public InFlightSnapshot calls() {
        return calls;
    }

    /**
     * How many controller calls for the volume may be under way at the same time (R26).
     *
     * @return 1, or more for a plugin that is known to cope
     */
    public int maxControllerCalls() {
        return maxControllerCalls;
    }

    /**
     * Whether the host was asked to fence a node, and need not be asked again yet.
     *
     * @param nodeId the node
     * @return true if so
     */
    public boolean fenceRequested(NodeId nodeId) {
        return fenceRequested.contains(nodeId);
    }

    /**
     * Whether to look at claims that are held as well, for claimants that are over. The end of an
     * allocation releases its claims in the same transaction, so only records that were not made by
     * commands (of an older format) need this.
     *
     * @return true if so
     */
    public boolean sweep() {
        return sweep;
    }

    /**
     * Whether to try a failed step again before its time, as an operator may ask for. When that attempt
     * fails too, its retry is another one, and its time counts.
     *
     * @param retry how the step went so far
     * @return true if its time is of no account
     */
    public boolean tryNow(Retry retry) {
        return tryNow.contains(retry);
    }

    /** Builds {@link PlanFacts}. Not safe for use by several threads. */
    public static final class Builder {
        private final Instant now;
        private FencingPolicy defaultFencing = FencingPolicy.waitForConfirmation();
        private ControllerNeed controllerNeed = ControllerNeed.UNKNOWN;
        private ControllerNeed expansionNeed = ControllerNeed.UNKNOWN;
        private boolean expandsOfflineOnly;
        private BooleanSupplier controllerAvailable = () -> false;
        private Function<NodeId, Optional<Node>> nodes = id -> Optional.empty();
        private Predicate<AllocationId> over = id -> false;
        private InFlightSnapshot calls = InFlightSnapshot.none();
        private int maxControllerCalls = 1;
        private Set<NodeId> fenceRequested = Set.of();
        private boolean sweep;
        private Set<Retry> tryNow = Set.of();

        private Builder(Instant now) {
            this.now = Objects.requireNonNull(now, "now");
        }

        /**
         * Sets the policy of volumes that declare none.
         *
         * @param policy WaitForConfirmation if not set
         * @return this
         */
        public Builder defaultFencing(FencingPolicy policy) {
            this.defaultFencing = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /**
         * Sets whether the volume's plugin attaches by its controller.
         *
         * @param need UNKNOWN if not set
         * @return this
         */
        public Builder controllerNeed(ControllerNeed need) {
            this.controllerNeed = Objects.requireNonNull(need, "need");
            return this;
        }

        /**
         * Sets how the volume's plugin expands volumes.
         *
         * @param need whether its controller has to; UNKNOWN if not set
         * @param offlineOnly whether only volumes that are not in use; false if not set
         * @return this
         */
        public Builder expansion(ControllerNeed need, boolean offlineOnly) {
            this.expansionNeed = Objects.requireNonNull(need, "need");
            this.expandsOfflineOnly = offlineOnly;
            return this;
        }

        /**
         * Sets whether a healthy controller instance is on a node that answers.
         *
         * @param available false if not set
         * @return this
         */
        public Builder controllerAvailable(boolean available) {
            return controllerAvailable(() -> available);
        }

        /** Asked only where it matters: most looks at a volume do not need it. */
        private Builder controllerAvailable(BooleanSupplier available) {
            this.controllerAvailable = available;
            return this;
        }

        /**
         * Sets what the host says about nodes.
         *
         * @param lookup empty for a node of which nothing is known
         * @return this
         */
        public Builder nodes(Function<NodeId, Optional<Node>> lookup) {
            this.nodes = Objects.requireNonNull(lookup, "lookup");
            return this;
        }

        /**
         * Sets which claimants are over.
         *
         * @param test none if not set
         * @return this
         */
        public Builder over(Predicate<AllocationId> test) {
            this.over = Objects.requireNonNull(test, "test");
            return this;
        }

        /**
         * Sets the calls that have not ended.
         *
         * @param underWay none if not set
         * @return this
         */
        public Builder calls(InFlightSnapshot underWay) {
            this.calls = Objects.requireNonNull(underWay, "underWay");
            return this;
        }

        /**
         * Sets how many controller calls may be under way at the same time.
         *
         * @param calls 1 if not set
         * @return this
         * @throws IllegalArgumentException if below 1
         */
        public Builder maxControllerCalls(int calls) {
            if (calls < 1) {
                throw new IllegalArgumentException("PlanFacts: maxControllerCalls is " + calls + "; use 1 or more");
            }
            this.maxControllerCalls = calls;
            return this;
        }

        /**
         * Sets the nodes that the host was asked to fence.
         *
         * @param nodeIds none if not set
         * @return this
         */
        public Builder fenceRequested(Set<NodeId> nodeIds) {
            this.fenceRequested = Set.copyOf(nodeIds);
            return this;
        }

        /**
         * Sets whether to look at claims that are held as well.
         *
         * @param everything false if not set
         * @return this
         */
        public Builder sweep(boolean everything) {
            this.sweep = everything;
            return this;
        }

        /**
         * Sets which failed steps are tried again before their time.
         *
         * @param retries how those steps went so far; none if not set
         * @return this
         */
        public Builder tryNow(Set<Retry> retries) {
            this.tryNow = Set.copyOf(retries);
            return this;
        }

        /**
         * The value built so far.
         *
         * @return the facts
         */
        public PlanFacts build() {
            return new PlanFacts(this);
        }
    }
}
