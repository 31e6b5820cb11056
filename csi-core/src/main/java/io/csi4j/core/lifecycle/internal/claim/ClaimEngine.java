package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.plan.InFlightSnapshot;
import io.csi4j.core.internal.plan.Plan;
import io.csi4j.core.internal.plan.PlanFacts;
import io.csi4j.core.internal.plan.VolumePlan;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.DetachReport;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.VolumeStatus;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.lifecycle.internal.snapshot.ContentSources;
import io.csi4j.core.lifecycle.internal.snapshot.SnapshotWorkers;
import io.csi4j.core.lifecycle.internal.step.PluginOnNode;
import io.csi4j.core.lifecycle.internal.wait.AwaitedCalls;
import io.csi4j.core.lifecycle.internal.wait.RowWait;
import io.csi4j.core.lifecycle.internal.wait.RowWaits;
import io.csi4j.core.lifecycle.internal.worker.Reconciler;
import io.csi4j.core.lifecycle.internal.worker.VolumeWorkers;
import io.csi4j.core.lifecycle.internal.worker.WorkerEvents;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.RemainingWork;
import io.csi4j.core.volume.Volume;
import java.lang.System.Logger.Level;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Takes claims for the host. While it leads, its workers publish and unpublish volumes as the claims require.
 * Thread-safe.
 */
public final class ClaimEngine implements WorkerEvents {
    private static final System.Logger LOG = System.getLogger(ClaimEngine.class.getName());

    /** The number of leaderships whose beginnings are remembered. */
    private static final int KEPT_STARTS = 100;

    private final Operations operations;
    private final RowWaits waits;
    private final StateViews views;
    private final ContentSources sources;
    private final CapacityWaiters refusedVolumes = new CapacityWaiters(this::tryNow);
    private final NodeCapacity fullNodes;
    private final CapacityEvents capacity;
    private final UnrecordedDetachment unrecorded;
    private final WaitCauses causes;
    private final ClaimReleases releases;
    private final Deque<Instant> starts = new ArrayDeque<>();
    private volatile @Nullable Leading leading;

    /**
     * Creates an engine that does not lead.
     *
     * @param sources checks the permissions for the content of volumes
     * @param nodeInfo asks a plugin on a node for its facts
     * @param capacity the known capacity of the storage
     */
    public ClaimEngine(
            Operations operations,
            RowWaits waits,
            StateViews views,
            ContentSources sources,
            Function<PluginOnNode, CompletableFuture<Void>> nodeInfo,
            CapacityEvents capacity) {
        this.operations = operations;
        this.capacity = capacity;
        this.waits = waits;
        this.unrecorded = new UnrecordedDetachment(operations);
        this.causes = new WaitCauses(operations);
        this.releases = new ClaimReleases(operations, this::wake);
        this.views = views;
        this.sources = sources;
        this.fullNodes = new NodeCapacity(operations, nodeInfo, this::isLeading, refusedVolumes);
        operations.ports().log().wakeWith(this::wake);
    }

    /** The objects that exist for one term of leadership. */
    private record Leading(
            Term term,
            VolumeWorkers workers,
            SnapshotWorkers snapshots,
            ClaimQueue queue,
            StoredRequests requests,
            Reconciler reconciler) {}

    /** Starts to lead until {@link #stop}; has no effect if the engine leads already. */
    public void start() {
        start(() -> true);
    }

    /**
     * Starts to lead; has no effect if the engine leads already.
     *
     * @param mayAct asks the log whether this server still leads
     */
    public void start(BooleanSupplier mayAct) {
        Leading begun = lead(mayAct);
        if (begun != null) {
            StateReader state = operations.state();
            LOG.log(
                    Level.INFO,
                    () -> "This server leads now, from index " + state.index() + " of the state, and continues the"
                            + " unfinished work of " + count(state.unsettledVolumes()) + " volumes");
            begun.reconciler().start();
            begun.snapshots().start();
        }
    }

    /** Returns the times at which this engine began to lead, oldest first; only the last ones. */
    public synchronized List<Instant> leaderships() {
        return List.copyOf(starts);
    }

    private static long count(Iterable<?> rows) {
        return StreamSupport.stream(rows.spliterator(), false).count();
    }

    private synchronized @Nullable Leading lead(BooleanSupplier mayAct) {
        if (leading != null) {
            return null;
        }
        Term term = new Term(mayAct);
        VolumeWorkers workers = new VolumeWorkers(operations, waits, term, this);
        ClaimGranting granting = new ClaimGranting(operations, waits, workers);
        Reconciler reconciler = new Reconciler(operations, workers);
        ClaimQueue queue = new ClaimQueue(operations, waits, term, capacity, granting::grant);
        if (starts.size() == KEPT_STARTS) {
            starts.remove();
        }
        starts.add(operations.now());
        leading = new Leading(
                term,
                workers,
                new SnapshotWorkers(operations, term, workers::snapshotsChanged),
                queue,
                new StoredRequests(operations, term, queue),
                reconciler);
        return leading;
    }

    /** Stops leading. Calls in flight are not cancelled, because they may have had their effect already (R30). */
    public void stop() {
        Leading last;
        synchronized (this) {
            last = leading;
            leading = null;
            if (last == null) {
                return;
            }
            last.term().end();
        }
        LOG.log(Level.INFO, "This server does not lead any more");
        fullNodes.stop();
        last.reconciler().stop();
        last.requests().close();
        last.queue().close();
        last.workers().close();
        last.snapshots().stop();
    }

    boolean isLeading() {
        return leading != null;
    }

    /** Returns whether this engine leads, and may send a call now that follows from the state. */
    public boolean mayCall() {
        Leading now = leading;
        return now != null && now.term().mayCall();
    }

    /** Returns an object that identifies the current term of leadership; empty if the engine does not lead. */
    public Optional<Object> leadership() {
        return Optional.ofNullable(leading);
    }

    private Leading leading() {
        Leading now = leading;
        if (now == null) {
            throw new NotLeadingException();
        }
        return now;
    }

    @Override
    public void publishFailed(PluginOnNode pluginOnNode, VolumeKey key, Throwable cause) {
        fullNodes.refused(pluginOnNode, key, cause);
    }

    @Override
    public void callEnded(Rpc rpc, Volume volume, @Nullable Throwable failure) {
        capacity.callEnded(rpc, volume, failure);
    }

    @Override
    public void detached(PluginOnNode pluginOnNode) {
        refusedVolumes.detached(operations.state(), pluginOnNode);
    }

    @Override
    public void pluginsChanged() {
        refusedVolumes.recheck(operations.state());
    }

    public void tryNow(VolumeKey key) {
        Leading now = leading;
        if (now != null) {
            now.workers().tryNow(key);
        }
    }

    @Override
    public void lateCallEnded(VolumeKey key) {
        Leading now = leading;
        if (now != null) {
            now.workers().wake(key);
        }
    }

    @Override
    public boolean isClaimAwaited(VolumeKey key) {
        return waitingFor(key) > 0;
    }

    /**
     * Claims all requested volumes for an allocation, or none of them, and waits until they are published. Cancelling
     * the future removes the request from the queue and releases its claims.
     */
    public CompletableFuture<ClaimGrant> claim(Caller caller, AllocationId allocationId, List<ClaimRequest> requests) {
        // The constructor of TakeClaims rejects an invalid list of requests before the permissions are checked.
        var checked = new ClaimCommand.TakeClaims(allocationId, ClaimRequest.merged(requests), operations.now());
        try {
            checked.requests()
                    .forEach(request -> operations
                            .permissions()
                            .allowMount(caller, request.volume().namespace()));
            checkPermissionForAllocation(caller, allocationId);
            PendingClaim claim = new PendingClaim(
                    caller, allocationId, checked.requests(), operations.ports().moment());
            CompletableFuture<Void> allowed = sources.allow(caller, checked.requests());
            ClaimQueue queue = leading().queue();
            if (allowed.isDone() && !allowed.isCompletedExceptionally()) {
                queue.add(claim);
                return claim.result;
            }
            var unused = allowed.whenComplete((nothing, failure) -> {
                if (failure == null) {
                    queue.add(claim);
                } else {
                    claim.result.completeExceptionally(Futures.unwrap(failure));
                }
            });
            return claim.result;
        } catch (CsiException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Stores a request for claims, which the leader takes as soon as they can be granted. */
    public CompletableFuture<Void> request(Caller caller, AllocationId allocationId, List<ClaimRequest> requests) {
        var checked = new ClaimCommand.RequestClaims(allocationId, ClaimRequest.merged(requests), operations.now());
        return operations.starter(caller).run(() -> {
            checked.requests()
                    .forEach(request -> operations
                            .permissions()
                            .allowMount(caller, request.volume().namespace()));
            checkPermissionForAllocation(caller, allocationId);
            return sources.allow(caller, checked.requests())
                    .thenCompose(allowed -> operations.submit(checked))
                    .thenApply(accepted -> null);
        });
    }

    /** Removes the stored requests of an allocation, and releases its claims. */
    public CompletableFuture<Void> withdraw(Caller caller, AllocationId allocationId) {
        return operations.starter(caller).run(() -> {
            StateReader state = operations.state();
            state.volumesClaimedBy(allocationId)
                    .forEach(key -> operations.permissions().allowMount(caller, key.namespace()));
            state.requestedClaimsOf(allocationId)
                    .forEach(requested -> requested
                            .requests()
                            .forEach(request -> operations
                                    .permissions()
                                    .allowMount(caller, request.volume().namespace())));
            checkPermissionForAllocation(caller, allocationId);
            return operations
                    .submit(new ClaimCommand.WithdrawClaims(allocationId, operations.now()))
                    .thenApply(accepted -> null);
        });
    }

    /**
     * Checks that the caller may use volumes in the allocation's namespace. An unknown allocation passes this check,
     * because the transaction that takes the claims rejects it.
     */
    private void checkPermissionForAllocation(Caller caller, AllocationId allocationId) {
        operations
                .state()
                .allocation(allocationId)
                .filter(known ->
                        !operations.permissions().allows(caller, Access.in(known.namespace(), Permission.VOLUME_MOUNT)))
                .ifPresent(denied -> {
                    throw new AccessDeniedException(
                            caller.principal().getName(),
                            Permission.VOLUME_MOUNT + " in the namespace of allocation " + allocationId);
                });
    }

    public ClaimReleases releases() {
        return releases;
    }

    /** Requests a plan of the remaining work of a volume. */
    public CompletableFuture<Void> recheck(Caller caller, VolumeKey key) {
        return operations.starter(caller).run(() -> {
            operations.permissions().allow(caller, Access.in(key.namespace(), Permission.VOLUME_WRITE));
            return operations
                    .submit(new VolumeCommand.MarkForGc(key, operations.now()))
                    .thenAccept(accepted -> {
                        Leading now = leading;
                        if (now != null) {
                            now.workers().tryNow(key);
                        }
                    });
        });
    }

    private void wake(VolumeKey key) {
        Leading now = leading;
        if (now != null) {
            now.workers().wake(key);
        }
    }

    /** Tries the remaining steps to detach a volume from a node now, and reports the result. */
    public CompletableFuture<DetachReport> detach(Caller caller, VolumeKey key, NodeId nodeId) {
        return operations.starter(caller).run(() -> {
            operations.permissions().allowMount(caller, key.namespace());
            Volume before = operations.volume(key);
            leading();
            return unrecorded.intend(key, nodeId).thenCompose(notAsked -> {
                Leading now = leading();
                DetachOutcome outcome = new DetachOutcome(operations, now.workers(), before, nodeId, notAsked);
                RowWait<DetachReport> wait = waits.begin(now.term(), key, AwaitedCalls.NONE);
                now.workers().tryNow(key);
                return wait.await(state -> outcome.report());
            });
        });
    }

    /** Returns the status of a volume and its remaining work. */
    public Optional<VolumeStatus> status(Caller caller, VolumeKey key) {
        operations.permissions().allow(caller, Access.in(key.namespace(), Permission.VOLUME_READ));
        InFlightSnapshot calls = operations.volumeCalls().inFlight(key);
        StateReader state = operations.state();
        Leading now = leading;
        return VolumeView.of(state, key).map(view -> {
            PlanFacts.Builder facts = now == null
                    ? VolumeWorkers.facts(operations.ports(), state, view.volume(), operations.now())
                    : now.workers()
                            .facts(state, view.volume(), operations.now())
                            .calls(calls);
            // Plans as a scan does, so that the status also shows claims that only an operator can end.
            Plan plan = VolumePlan.of(view.volume(), facts.sweep(true).build());
            List<WaitingClaim> waiting = now == null
                    ? List.of()
                    : now.queue().waiting(key).stream().map(causes::explained).toList();
            return new VolumeStatus(
                    views.redacted(caller, state, view),
                    stopping(state, view.volume(), plan.remaining()),
                    waiting.stream().map(StateViews::withoutFlags).toList(),
                    List.of(),
                    operations.calls().failures().of(key));
        });
    }

    /**
     * Adds the claims of allocations that stop on a node out of reach. No step of the leader waits for them, because they
     * have not ended; but they cannot end before the node answers or is lost.
     */
    private static RemainingWork stopping(StateReader state, Volume volume, RemainingWork planned) {
        List<RemainingWork.Wait> waits = new ArrayList<>(planned.waits());
        for (Claim claim : volume.claims()) {
            boolean stops = claim.state() == ClaimState.TAKEN
                    && state.allocation(claim.allocationId())
                            .filter(allocation -> allocation.status() == AllocationStatus.STOPPING)
                            .isPresent()
                    && state.node(claim.nodeId())
                            .map(Node::status)
                            .filter(status -> status == NodeStatus.DISCONNECTED || status == NodeStatus.DOWN)
                            .isPresent();
            Optional<AllocationId> allocation = Optional.of(claim.allocationId());
            if (stops && waits.stream().noneMatch(wait -> wait.allocationId().equals(allocation))) {
                waits.add(new RemainingWork.Wait(
                        RemainingWork.Reason.NODE_NOT_CONFIRMED,
                        Optional.of(claim.nodeId()),
                        allocation,
                        Optional.empty()));
            }
        }
        return new RemainingWork(planned.steps(), waits, planned.nextAttempt());
    }

    /**
     * Returns the waiting claims after a position, by their positions, oldest first; empty on an engine that does not
     * lead.
     */
    SortedMap<Long, WaitingClaim> waitingClaims(long after) {
        Leading now = leading;
        return now == null ? Collections.emptySortedMap() : now.queue().waiting(after);
    }

    /** Returns a waiting claim with the causes that end its wait. */
    WaitingClaim explained(WaitingClaim claim) {
        return causes.explained(claim);
    }

    /** Returns the number of claim requests that wait for a volume; 0 on an engine that does not lead. */
    public int waitingFor(VolumeKey key) {
        Leading now = leading;
        return now == null ? 0 : now.queue().size(key);
    }

    /** Returns the number of workers. A volume without remaining work has no worker. */
    public int workers() {
        Leading now = leading;
        return now == null ? 0 : now.workers().size();
    }

    /** Returns the number of waiting claims. */
    public int waiting() {
        Leading now = leading;
        return now == null ? 0 : now.queue().size();
    }
}
