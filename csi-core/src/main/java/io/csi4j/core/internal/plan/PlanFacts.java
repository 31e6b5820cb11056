package io.csi4j.core.internal.plan;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.csi.VolumeContentSource;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.internal.apply.Ledgers;
import io.csi4j.core.internal.apply.Placement;
import io.csi4j.core.internal.apply.Verifications;
import io.csi4j.core.plugin.ControllerNeed;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.Retry;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;

/**
 * The facts that {@link VolumePlan} needs besides the volume. A fact that is missing in the state counts as unknown,
 * and the plan waits for it.
 */
public final class PlanFacts {
    private final Instant now;
    private final FencingPolicy defaultFencing;
    private final Supplier<ControllerNeed> controllerNeed;
    private final Supplier<ControllerNeed> expansionNeed;
    private final BooleanSupplier expandsOfflineOnly;
    private final Predicate<Rpc> controllerAvailable;
    private final Predicate<Rpc> controllerOffers;
    private final Predicate<NodeId> providerConflict;
    private final Function<NodeId, Optional<Node>> nodes;
    private final Function<Node, Duration> inStatus;
    private final Function<Retry, Duration> backoff;
    private final Predicate<Claim> ended;
    private final BooleanSupplier ledgersUnsettled;
    private final BooleanSupplier notVerified;
    private final Supplier<InFlightSnapshot> calls;
    private final int maxControllerCalls;
    private final Set<NodeId> fenceRequested;
    private final boolean sweep;
    private final Set<Retry> tryNow;
    private final BooleanSupplier source;
    private final Supplier<Duration> unusedFor;

    private PlanFacts(Builder builder) {
        this.now = builder.now;
        this.defaultFencing = builder.defaultFencing;
        this.controllerNeed = builder.controllerNeed;
        this.expansionNeed = builder.expansionNeed;
        this.expandsOfflineOnly = builder.expandsOfflineOnly;
        this.controllerAvailable = builder.controllerAvailable;
        this.source = builder.source;
        this.unusedFor = builder.unusedFor;
        this.controllerOffers = builder.controllerOffers;
        this.providerConflict = builder.providerConflict;
        this.nodes = builder.nodes;
        this.inStatus = builder.inStatus;
        this.backoff = builder.backoff;
        this.ended = builder.ended;
        this.ledgersUnsettled = builder.ledgersUnsettled;
        this.notVerified = builder.notVerified;
        this.calls = builder.calls;
        this.maxControllerCalls = builder.maxControllerCalls;
        this.fenceRequested = builder.fenceRequested;
        this.sweep = builder.sweep;
        this.tryNow = builder.tryNow;
    }

    /**
     * Returns a builder in which every fact has its default, for example UNKNOWN.
     *
     * @param now the time from which the plan computes the times that it shows to people. It decides nothing
     */
    public static Builder builder(Instant now) {
        return new Builder(now);
    }

    /** Returns whether a call may read a volume to make another volume or a snapshot, so that it must not be deleted. */
    public static boolean isSource(StateReader state, Volume volume) {
        for (SnapshotKey key : state.snapshotsOf(volume.key())) {
            if (state.snapshot(key)
                    .filter(row -> row.readsSource() && row.spec().sourceIndex() == volume.createIndex())
                    .isPresent()) {
                return true;
            }
        }
        return volume.externalVolumeId()
                .filter(id -> state.creationsFrom(volume.pluginId(), VolumeContentSource.volume(id))
                        .iterator()
                        .hasNext())
                .isPresent();
    }

    /**
     * Returns a builder that takes the facts about a volume's plugin, nodes and allocations from one state. The plan
     * reads each fact only when it needs it: most volumes have nothing to do.
     *
     * @param state the snapshot from which the volume was read
     * @param trust the controllers that may be called
     * @param volume the volume
     * @param now the time from which the plan computes the times that it shows to people. It decides nothing
     */
    public static Builder from(StateReader state, ControllerTrust trust, Volume volume, Instant now) {
        PluginId pluginId = volume.pluginId();
        return new Builder(now)
                .controllerNeed(() -> volume.isInline()
                        ? ControllerNeed.NOT_REQUIRED
                        : state.facts(pluginId).map(PluginFacts::controllerNeed).orElse(ControllerNeed.UNKNOWN))
                .expansion(
                        () -> state.facts(pluginId)
                                .map(PluginFacts::expansionNeed)
                                .orElse(ControllerNeed.UNKNOWN),
                        () -> state.facts(pluginId)
                                .filter(PluginFacts::expandsOfflineOnly)
                                .isPresent())
                .source(() -> isSource(state, volume))
                .controllerAvailable(rpc -> Placement.healthyController(state, trust, pluginId, rpc))
                .controllerOffers(rpc -> Placement.offeringController(state, trust, pluginId, rpc))
                .providerConflict(nodeId -> Placement.providerConflict(state, nodeId, pluginId))
                .nodes(state::node)
                // An allocation that is missing in the state counts as ended: the state had it when it claimed the
                // volume, and only an ended allocation is removed. An adopted claim may be older than the host's report
                // of its allocation.
                .ended(claim -> state.allocation(claim.allocationId())
                        .map(Allocation::ended)
                        .orElse(!claim.adopted()))
                .ledgersUnsettled(() -> Ledgers.firstUnsettled(state, volume).isPresent())
                .notVerified(() -> Verifications.missing(state, volume).isPresent());
    }

    public Instant now() {
        return now;
    }

    /**
     * Returns the fencing policy of a volume: the policy in its specification, or the host's default if the
     * specification has none.
     */
    public FencingPolicy fencingPolicy(Volume volume) {
        return volume.spec().declaredFencingPolicy().orElse(defaultFencing);
    }

    /** Returns whether the plugin's controller has to publish volumes; UNKNOWN while the plugin has not reported it. */
    public ControllerNeed controllerNeed() {
        return controllerNeed.get();
    }

    /**
     * Returns whether the plugin's controller has to publish and unpublish a volume that is attached; UNKNOWN while the
     * plugin has not reported it. If the last report lacks the capability, but a healthy instance offers it, the
     * controller is required: the call goes to that instance.
     */
    public ControllerNeed attachedNeed() {
        return orOffered(controllerNeed.get(), Rpc.CONTROLLER_UNPUBLISH_VOLUME);
    }

    /**
     * Returns whether the plugin's controller expands volumes; UNKNOWN while the plugin has not reported it. If the last
     * report lacks the capability, but a healthy instance offers it, the controller is required.
     */
    public ControllerNeed expansionNeed() {
        return orOffered(expansionNeed.get(), Rpc.CONTROLLER_EXPAND_VOLUME);
    }

    private ControllerNeed orOffered(ControllerNeed need, Rpc rpc) {
        return need == ControllerNeed.NOT_REQUIRED && controllerOffers.test(rpc) ? ControllerNeed.REQUIRED : need;
    }

    /** Returns whether the plugin expands only volumes that are not in use (R82). */
    public boolean expandsOfflineOnly() {
        return expandsOfflineOnly.getAsBoolean();
    }

    /**
     * Returns whether a healthy instance of the plugin's controller service that is not known to lack the RPC runs on a
     * node that answers.
     */
    public boolean controllerAvailable(Rpc rpc) {
        return controllerAvailable.test(rpc);
    }

    /** Returns whether the plugin's instance on a node runs another driver than the plugin's volumes belong to. */
    public boolean providerConflict(NodeId nodeId) {
        return providerConflict.test(nodeId);
    }

    /** Returns whether another volume is being created from this one. */
    public boolean isSource() {
        return source.getAsBoolean();
    }

    /** Returns a node; empty if the state does not have it. */
    public Optional<Node> node(NodeId nodeId) {
        return nodes.apply(nodeId);
    }

    /**
     * Returns how long this leader has seen a node in its present status, as elapsed time. It is never longer than the
     * time for which the node really has the status, whatever the clocks of the servers say.
     */
    public Duration inStatus(Node node) {
        return inStatus.apply(node);
    }

    /**
     * Returns how long this leader has seen the volume without a claim that it was made for, as elapsed time. It is zero
     * while a claim waits for the volume.
     */
    public Duration unusedFor() {
        return unusedFor.get();
    }

    /** Returns the elapsed time until the next attempt at a step; zero or less if the attempt is due. */
    public Duration backoff(Retry retry) {
        return backoff.apply(retry);
    }

    /** Returns whether the allocation of a claim has ended or was removed from the state. */
    public boolean ended(Claim claim) {
        return ended.test(claim);
    }

    /** Returns whether any node may use the volume without a claim; see {@link Ledgers#firstUnsettled}. */
    public boolean ledgersUnsettled() {
        return ledgersUnsettled.getAsBoolean();
    }

    /** Returns whether the volume is older than the last restore of the state, and not verified since. */
    public boolean notVerified() {
        return notVerified.getAsBoolean();
    }

    /** Returns the calls for the volume that this engine has in flight. */
    public InFlightSnapshot calls() {
        return calls.get();
    }

    /**
     * Returns the number of controller calls for the volume that may be in flight at the same time (R26): 1, or more for a plugin that supports it.
     */
    public int maxControllerCalls() {
        return maxControllerCalls;
    }

    /** Returns whether the host has been asked to fence a node and the request is still valid. */
    public boolean fenceRequested(NodeId nodeId) {
        return fenceRequested.contains(nodeId);
    }

    /**
     * Returns whether the plan also checks if held claims belong to ended allocations. The end of an allocation
     * releases its claims in the same transaction, so only rows of an older format need this check.
     */
    public boolean sweep() {
        return sweep;
    }

    /**
     * Returns whether the plan ignores the backoff after failed attempts at a step, because an operator asked for
     * another attempt now. If that attempt fails, a new backoff begins.
     *
     * @param retry the failed attempts at the step
     */
    public boolean tryNow(Retry retry) {
        return tryNow.contains(retry);
    }

    /** Builds {@link PlanFacts}. Not thread-safe. */
    public static final class Builder {
        private final Instant now;
        private FencingPolicy defaultFencing = FencingPolicy.waitForConfirmation();
        private Supplier<ControllerNeed> controllerNeed = () -> ControllerNeed.UNKNOWN;
        private Supplier<ControllerNeed> expansionNeed = () -> ControllerNeed.UNKNOWN;
        private BooleanSupplier expandsOfflineOnly = () -> false;
        private Predicate<Rpc> controllerAvailable = rpc -> false;
        private Predicate<Rpc> controllerOffers = rpc -> false;
        private Predicate<NodeId> providerConflict = nodeId -> false;
        private Function<NodeId, Optional<Node>> nodes = id -> Optional.empty();
        private Function<Node, Duration> inStatus = node -> Duration.ZERO;
        private Function<Retry, Duration> backoff = this::byStoredTime;
        private Predicate<Claim> ended = claim -> false;
        private BooleanSupplier ledgersUnsettled = () -> false;
        private BooleanSupplier notVerified = () -> false;
        private Supplier<InFlightSnapshot> calls = InFlightSnapshot::none;
        private int maxControllerCalls = 1;
        private Set<NodeId> fenceRequested = Set.of();
        private boolean sweep;
        private Supplier<Duration> unusedFor = () -> Duration.ZERO;
        private BooleanSupplier source = () -> false;
        private Set<Retry> tryNow = Set.of();

        private Builder(Instant now) {
            this.now = Objects.requireNonNull(now, "now");
        }

        /** Sets the fencing policy for volumes that declare no policy. Default: wait for confirmation. */
        public Builder defaultFencing(FencingPolicy policy) {
            this.defaultFencing = Objects.requireNonNull(policy, "policy");
            return this;
        }

        /** Sets whether the controller of the volume's plugin has to publish volumes. Default: UNKNOWN. */
        public Builder controllerNeed(ControllerNeed need) {
            Objects.requireNonNull(need, "need");
            return controllerNeed(() -> need);
        }

        private Builder controllerNeed(Supplier<ControllerNeed> need) {
            this.controllerNeed = need;
            return this;
        }

        /**
         * Sets how the volume's plugin expands volumes.
         *
         * @param need whether the plugin's controller has to expand volumes. Default: UNKNOWN
         * @param offlineOnly whether the plugin expands only volumes that are not in use. Default: false
         */
        public Builder expansion(ControllerNeed need, boolean offlineOnly) {
            Objects.requireNonNull(need, "need");
            return expansion(() -> need, () -> offlineOnly);
        }

        private Builder expansion(Supplier<ControllerNeed> need, BooleanSupplier offlineOnly) {
            this.expansionNeed = need;
            this.expandsOfflineOnly = offlineOnly;
            return this;
        }

        /** Sets whether a healthy controller instance for all calls runs on a node that answers. Default: false. */
        public Builder controllerAvailable(boolean available) {
            return controllerAvailable(rpc -> available);
        }

        /**
         * Sets a function that finds out whether a controller is available. Most plans contain no controller call, so a
         * plan calls the function only when it needs the result.
         */
        Builder controllerAvailable(Predicate<Rpc> available) {
            this.controllerAvailable = available;
            return this;
        }

        /** Sets whether another volume is being created from this one. Default: false. */
        public Builder source(boolean used) {
            return source(() -> used);
        }

        private Builder source(BooleanSupplier used) {
            this.source = used;
            return this;
        }

        /**
         * Sets the test whether a healthy controller instance has reported the capabilities for a call that the last
         * report of the plugin lacks. Default: none has.
         */
        public Builder controllerOffers(Predicate<Rpc> offers) {
            this.controllerOffers = Objects.requireNonNull(offers, "offers");
            return this;
        }

        /** Sets the test whether the instance on a node runs another driver. Default: none does. */
        public Builder providerConflict(Predicate<NodeId> conflict) {
            this.providerConflict = Objects.requireNonNull(conflict, "conflict");
            return this;
        }

        /**
         * Sets the lookup of nodes.
         *
         * @param lookup returns empty for an unknown node
         */
        public Builder nodes(Function<NodeId, Optional<Node>> lookup) {
            this.nodes = Objects.requireNonNull(lookup, "lookup");
            return this;
        }

        /**
         * Sets how long this leader has seen a node in its present status. Default: zero, because a server that does
         * not lead ends no grace period.
         */
        public Builder inStatus(Function<Node, Duration> seen) {
            this.inStatus = Objects.requireNonNull(seen, "seen");
            return this;
        }

        /**
         * Sets the elapsed time until the next attempt at a step. Default: the time until the stored time of the
         * attempt, which is good enough for a server that makes no attempts.
         */
        public Builder backoff(Function<Retry, Duration> left) {
            this.backoff = Objects.requireNonNull(left, "left");
            return this;
        }

        private Duration byStoredTime(Retry retry) {
            return retry.nextRetry().map(at -> Duration.between(now, at)).orElse(Duration.ZERO);
        }

        /** Sets the test for claims of ended allocations. Default: none has ended. */
        public Builder ended(Predicate<Claim> test) {
            this.ended = Objects.requireNonNull(test, "test");
            return this;
        }

        /** Sets the test whether any node may use the volume without a claim. Default: none may. */
        public Builder ledgersUnsettled(BooleanSupplier test) {
            this.ledgersUnsettled = Objects.requireNonNull(test, "test");
            return this;
        }

        /** Sets whether the volume is older than the last restore and not verified. Default: it is not. */
        public Builder notVerified(BooleanSupplier test) {
            this.notVerified = Objects.requireNonNull(test, "test");
            return this;
        }

        /** Sets the calls for the volume that this engine has in flight. Default: none. */
        public Builder calls(InFlightSnapshot inFlight) {
            Objects.requireNonNull(inFlight, "inFlight");
            return calls(() -> inFlight);
        }

        /**
         * Sets a function that returns the calls for the volume that this engine has in flight, for a plan that starts no
         * step: the plan calls the function only when it needs the calls.
         */
        public Builder calls(Supplier<InFlightSnapshot> inFlight) {
            this.calls = Objects.requireNonNull(inFlight, "inFlight");
            return this;
        }

        /**
         * Sets the number of controller calls that may be in flight at the same time. Default: 1.
         *
         * @throws IllegalArgumentException if below 1
         */
        public Builder maxControllerCalls(int calls) {
            if (calls < 1) {
                throw new IllegalArgumentException("PlanFacts: maxControllerCalls is " + calls + "; use 1 or more");
            }
            this.maxControllerCalls = calls;
            return this;
        }

        /** Sets the nodes that the host has been asked to fence. Default: none. */
        public Builder fenceRequested(Set<NodeId> nodeIds) {
            this.fenceRequested = Set.copyOf(nodeIds);
            return this;
        }

        /** Sets whether the plan also checks if held claims belong to ended allocations. Default: false. */
        public Builder sweep(boolean everything) {
            this.sweep = everything;
            return this;
        }

        /** Sets the failed attempts whose backoff the plan ignores. Default: none. */
        public Builder tryNow(Set<Retry> retries) {
            this.tryNow = Set.copyOf(retries);
            return this;
        }

        /** Sets how long this leader has seen the volume without a claim. Default: zero. */
        public Builder unusedFor(Supplier<Duration> elapsed) {
            this.unusedFor = elapsed;
            return this;
        }

        public PlanFacts build() {
            return new PlanFacts(this);
        }
    }
}
