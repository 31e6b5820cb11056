package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AttachmentCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.LeftoverCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.internal.plan.InFlightSnapshot;
import io.csi4j.core.internal.plan.Plan;
import io.csi4j.core.internal.plan.PlanFacts;
import io.csi4j.core.internal.plan.VolumePlan;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.DetachReport;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.VolumeStatus;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.lifecycle.internal.call.Caller;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.lifecycle.internal.step.PluginOnNode;
import io.csi4j.core.lifecycle.internal.wait.AwaitedCalls;
import io.csi4j.core.lifecycle.internal.wait.RowWait;
import io.csi4j.core.lifecycle.internal.wait.RowWaits;
import io.csi4j.core.lifecycle.internal.worker.InFlightCalls;
import io.csi4j.core.lifecycle.internal.worker.Reconciler;
import io.csi4j.core.lifecycle.internal.worker.VolumeWorkers;
import io.csi4j.core.lifecycle.internal.worker.WorkerEvents;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Leftover;
import io.csi4j.core.volume.Volume;
import java.lang.System.Logger.Level;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Takes and releases claims for the host. While it leads, its workers publish and unpublish volumes as the claims
 * require. Thread-safe.
 */
public final class ClaimEngine implements WorkerEvents {
    private static final System.Logger LOG = System.getLogger(ClaimEngine.class.getName());

    /** An index that is never the index of a claim or of an attachment. A command with this index changes nothing. */
    private static final long NOTHING = Long.MAX_VALUE;

    private final Operations operations;
    private final RowWaits waits;
    private final StateViews views;
    private final InFlightCalls inFlightCalls = new InFlightCalls();
    private final CapacityWaiters refusedVolumes = new CapacityWaiters(this::tryNow);
    private final NodeCapacity fullNodes;
    private final UnrecordedDetachment unrecorded;
    private final WaitCauses causes;
    private volatile @Nullable Leading leading;

    /**
     * Creates an engine that does not lead.
     *
     * @param nodeInfo asks a plugin on a node for its facts
     */
    public ClaimEngine(
            Operations operations,
            RowWaits waits,
            StateViews views,
            Function<PluginOnNode, CompletableFuture<Void>> nodeInfo) {
        this.operations = operations;
        this.waits = waits;
        this.unrecorded = new UnrecordedDetachment(operations);
        this.causes = new WaitCauses(operations);
        this.views = views;
        this.fullNodes = new NodeCapacity(operations, nodeInfo, this::isLeading, refusedVolumes);
        operations.ports().log().wakeWith(this::wake);
    }

    /** The objects that exist for one term of leadership. */
    private record Leading(Term term, VolumeWorkers workers, ClaimQueue queue, Reconciler reconciler) {}

    /** Starts to lead; has no effect if the engine leads already. */
    public void start() {
        Reconciler begun = lead();
        if (begun != null) {
            StateReader state = operations.state();
            LOG.log(
                    Level.INFO,
                    () -> "This server leads now, from index " + state.index() + " of the state, and continues the"
                            + " unfinished work of " + count(state.unsettledVolumes()) + " volumes");
            begun.start();
        }
    }

    private static long count(Iterable<?> rows) {
        return StreamSupport.stream(rows.spliterator(), false).count();
    }

    private synchronized @Nullable Reconciler lead() {
        if (leading != null) {
            return null;
        }
        Term term = new Term();
        VolumeWorkers workers = new VolumeWorkers(operations, waits, term, inFlightCalls, this);
        ClaimGranting granting = new ClaimGranting(operations, waits, workers);
        Reconciler reconciler = new Reconciler(operations, workers);
        leading = new Leading(term, workers, new ClaimQueue(operations, waits, term, granting::grant), reconciler);
        return reconciler;
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
        last.queue().close();
        last.workers().close();
    }

    boolean isLeading() {
        return leading != null;
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

    /**
     * Claims all requested volumes for an allocation, or none of them, and waits until they are published. Cancelling
     * the future removes the request from the queue and releases its claims.
     */
    public CompletableFuture<ClaimGrant> claim(Caller caller, AllocationId allocationId, List<ClaimRequest> requests) {
        // The constructor of TakeClaims rejects an invalid list of requests before the permissions are checked.
        var checked = new ClaimCommand.TakeClaims(allocationId, requests, operations.now());
        try {
            checked.requests().forEach(request -> checkMountPermission(caller, request.volume()));
            checkPermissionForAllocation(caller, allocationId);
            PendingClaim claim = new PendingClaim(
                    caller, allocationId, checked.requests(), operations.ports().moment());
            leading().queue().add(claim);
            return claim.result;
        } catch (CsiException e) {
            return CompletableFuture.failedFuture(e);
        }
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

    private void checkMountPermission(Caller caller, VolumeKey key) {
        mountPermissions(key.namespace())
                .forEach(access -> operations.permissions().allow(caller, access));
    }

    /** Returns the permissions that are needed to use volumes of a namespace. */
    static List<Access> mountPermissions(Namespace namespace) {
        return List.of(Access.in(namespace, Permission.VOLUME_MOUNT), Access.of(Permission.PLUGIN_READ));
    }

    /** Returns the permissions that the caller needs for submitting a workload but does not have. */
    public List<Access> missingPermissions(
            Caller caller, Namespace namespace, List<VolumeRequest> requests, Set<PluginId> deploys) {
        List<Access> needed = new ArrayList<>();
        if (!requests.isEmpty()) {
            needed.addAll(mountPermissions(namespace));
        }
        if (!deploys.isEmpty()) {
            needed.add(Access.of(Permission.PLUGIN_DEPLOY));
        }
        return needed.stream()
                .filter(access -> !operations.permissions().allows(caller, access))
                .toList();
    }

    /**
     * Releases a claim. The future completes when the release is stored; the workers unmount and unpublish the volume
     * afterwards.
     */
    public CompletableFuture<Void> release(Caller caller, VolumeKey key, AllocationId allocationId) {
        return operations.starter(caller).run(() -> {
            checkMountPermission(caller, key);
            return checkpoint(key, allocationId, false);
        });
    }

    /** Releases a claim only if it still has the given taken index. */
    public CompletableFuture<Void> release(Caller caller, VolumeKey key, AllocationId allocationId, long takenIndex) {
        if (takenIndex < 1) {
            throw new IllegalArgumentException(
                    "takenIndex: " + takenIndex + " is no index of a claim; use that of the claim in the grant");
        }
        return operations.starter(caller).run(() -> {
            checkMountPermission(caller, key);
            return checkpoint(key, allocationId, takenIndex, false);
        });
    }

    /**
     * Records a node's report that it has unmounted a volume for an allocation. The engine trusts the report and does
     * not ask the node again, so the caller needs the permission NODE_REPORT. The host has to ensure that the report
     * comes from that node.
     */
    public CompletableFuture<Void> nodeReleased(
            Caller caller, VolumeKey key, NodeId nodeId, AllocationId allocationId) {
        return operations.starter(caller).run(() -> {
            operations.permissions().allow(caller, Access.of(Permission.NODE_REPORT));
            StateReader state = operations.state();
            Optional<VolumeKey> holder = mountedAs(state, key, nodeId, allocationId);
            if (holder.isPresent()) {
                return checkpoint(holder.get(), allocationId, true);
            }
            Optional<Leftover> leftover = leftBy(state, key, nodeId, allocationId);
            if (leftover.isPresent()) {
                return operations
                        .submit(new LeftoverCommand.RecordUnmounted(
                                leftover.get().key(), nodeId, allocationId, operations.now()))
                        .thenApply(accepted -> null);
            }
            // Fails if the state does not have the volume.
            operations.volume(key);
            return CompletableFuture.completedFuture(null);
        });
    }

    /**
     * Returns the volume whose claim stands for the mount that a node knows by a key: the volume with this key, or the
     * volume that has taken over the claim from a forgotten one with this key.
     */
    private static Optional<VolumeKey> mountedAs(
            StateReader state, VolumeKey key, NodeId nodeId, AllocationId allocationId) {
        for (VolumeKey claimed : state.volumesClaimedBy(allocationId)) {
            boolean same = state.volume(claimed)
                    .flatMap(volume -> volume.claims().get(allocationId))
                    .filter(claim -> claim.nodeId().equals(nodeId))
                    .filter(claim -> claim.formerVolume().orElse(claimed).equals(key))
                    .isPresent();
            if (same) {
                return Optional.of(claimed);
            }
        }
        return Optional.empty();
    }

    private static Optional<Leftover> leftBy(
            StateReader state, VolumeKey key, NodeId nodeId, AllocationId allocationId) {
        for (Leftover leftover : state.leftovers()) {
            boolean same = leftover.claims()
                    .get(allocationId)
                    .filter(claim -> claim.nodeId().equals(nodeId)
                            && claim.formerVolume().equals(Optional.of(key)))
                    .isPresent();
            if (same) {
                return Optional.of(leftover);
            }
        }
        return Optional.empty();
    }

    private CompletableFuture<Void> checkpoint(VolumeKey key, AllocationId allocationId, boolean detached) {
        long claim = takenIndex(key, allocationId);
        return checkpoint(key, allocationId, claim, detached).thenCompose(written -> {
            // Read the claim again. When the command was built, this server's state may have been older than the log,
            // and may have had an older claim. Now the state includes the command, and so everything before it.
            long latestClaim = takenIndex(key, allocationId);
            boolean another = latestClaim != claim && latestClaim != NOTHING && !detached;
            return another
                    ? checkpoint(key, allocationId, latestClaim, false)
                    : CompletableFuture.completedFuture(null);
        });
    }

    private CompletableFuture<Void> checkpoint(VolumeKey key, AllocationId allocationId, long claim, boolean detached) {
        var releasing =
                new ClaimCommand.CheckpointClaim(key, allocationId, claim, ClaimState.UNPUBLISHING, operations.now());
        var done =
                new ClaimCommand.CheckpointClaim(key, allocationId, claim, ClaimState.NODE_DETACHED, operations.now());
        return operations
                .submit(detached ? new Batch(List.of(releasing, done), operations.now()) : releasing)
                .thenAccept(accepted -> wake(key));
    }

    /**
     * Returns the taken index of the allocation's present claim on a volume; NOTHING if there is no claim. A command
     * contains this index to identify the claim, so that it does not change a newer claim of the allocation.
     */
    private long takenIndex(VolumeKey key, AllocationId allocationId) {
        return operations
                .state()
                .volume(key)
                .flatMap(volume -> volume.claims().get(allocationId))
                .map(Claim::takenIndex)
                .orElse(NOTHING);
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
                            now.workers().sweep(key);
                        }
                    });
        });
    }

    /** Records an operator's statement that the volume is no longer mounted or staged on the claim's node. */
    public CompletableFuture<Outcome.Accepted> overrideClaim(
            Caller caller, VolumeKey key, AllocationId allocationId, String cause) {
        return operations.starter(caller).run(() -> {
            operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
            String operator = caller.principal().getName();
            long claim = operations
                    .volume(key)
                    .claims()
                    .get(allocationId)
                    .map(Claim::createIndex)
                    .orElseThrow(() -> new RejectedException(new Rejection.ClaimNotFound(key, allocationId)));
            return operations
                    .submit(new ClaimCommand.OverrideClaim(key, allocationId, claim, operator, cause, operations.now()))
                    .whenComplete((accepted, failure) -> wake(key));
        });
    }

    /** Records an operator's statement that the volume is detached from the node. */
    public CompletableFuture<Outcome.Accepted> overrideAttachment(
            Caller caller, VolumeKey key, NodeId nodeId, String cause) {
        return operations.starter(caller).run(() -> {
            operations.permissions().allow(caller, Access.of(Permission.MANAGEMENT));
            String operator = caller.principal().getName();
            long intent = operations
                    .volume(key)
                    .attachments()
                    .on(nodeId)
                    .map(Attachment::createIndex)
                    .orElseThrow(() -> new RejectedException(new Rejection.AttachmentNotFound(key, nodeId)));
            return operations
                    .submit(new AttachmentCommand.OverrideAttachment(
                            key, nodeId, intent, operator, cause, operations.now()))
                    .whenComplete((accepted, failure) -> wake(key));
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
            checkMountPermission(caller, key);
            Volume before = operations.volume(key);
            leading();
            return unrecorded.intend(key, nodeId).thenCompose(notAsked -> {
                Leading now = leading();
                DetachOutcome outcome =
                        new DetachOutcome(operations, now.workers(), inFlightCalls, before, nodeId, notAsked);
                RowWait<DetachReport> wait = waits.begin(now.term(), key, AwaitedCalls.NONE);
                now.workers().tryNow(key);
                return wait.await(state -> outcome.report());
            });
        });
    }

    /** Returns the status of a volume and its remaining work. */
    public Optional<VolumeStatus> status(Caller caller, VolumeKey key) {
        operations.permissions().allow(caller, Access.in(key.namespace(), Permission.VOLUME_READ));
        InFlightSnapshot calls = inFlightCalls.of(key);
        StateReader state = operations.state();
        Leading now = leading;
        return VolumeView.of(state, key).map(view -> {
            PlanFacts.Builder facts = now == null
                    ? VolumeWorkers.facts(operations.ports(), state, view.volume(), operations.now())
                    : now.workers().facts(state, view.volume(), calls, operations.now());
            // Plans as a scan does, so that the status also shows claims that only an operator can end.
            Plan plan = VolumePlan.of(view.volume(), facts.sweep(true).build());
            List<WaitingClaim> waiting = now == null
                    ? List.of()
                    : now.queue().waiting(key).stream().map(causes::explained).toList();
            return new VolumeStatus(
                    views.redacted(caller, state, view),
                    plan.remaining(),
                    waiting.stream().map(StateViews::withoutFlags).toList(),
                    List.of(),
                    operations.calls().failures().of(key));
        });
    }

    /** Returns all waiting claims in their order; empty on an engine that does not lead. */
    List<WaitingClaim> waitingClaims() {
        Leading now = leading;
        return now == null
                ? List.of()
                : now.queue().waiting().stream().map(causes::explained).toList();
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

    public InFlightCalls inFlightCalls() {
        return inFlightCalls;
    }
}
