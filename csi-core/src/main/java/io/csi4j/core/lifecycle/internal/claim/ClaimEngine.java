package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.AttachmentCommand;
import io.csi4j.core.command.Batch;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.VolumeCommand;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
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
import io.csi4j.core.lifecycle.internal.worker.InFlightCalls;
import io.csi4j.core.lifecycle.internal.worker.IntentWork;
import io.csi4j.core.lifecycle.internal.worker.PluginOnNode;
import io.csi4j.core.lifecycle.internal.worker.Reconciler;
import io.csi4j.core.lifecycle.internal.worker.VolumeWorker;
import io.csi4j.core.lifecycle.internal.worker.VolumeWorkers;
import io.csi4j.core.lifecycle.internal.worker.WorkerEvents;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Volume;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * Claims and releases: takes on what the host asks for, and while it leads brings volumes to where their
 * claims say they should be. Safe for use by many threads.
 */
public final class ClaimEngine implements WorkerEvents {
    /** An index that no claim and no attachment has. */
    private static final long NOTHING = Long.MAX_VALUE;

    private final Operations operations;
    private final IntentWork work;
    private final StateViews views;
    private final InFlightCalls underWay = new InFlightCalls();
    private final CapacityWaiters refusedVolumes = new CapacityWaiters(this::tryNow);
    private final NodeCapacity fullNodes;
    private final UnrecordedDetachment unrecorded;
    private volatile @Nullable Leading leading;

    public ClaimEngine(Operations operations, IntentWork work) {
        this.operations = operations;
        this.work = work;
        this.unrecorded = new UnrecordedDetachment(operations);
        this.views = new StateViews(operations);
        this.fullNodes = new NodeCapacity(operations, this::isLeading, refusedVolumes);
        operations.ports().log().wakeWith(this::wake);
    }

    /** All that belongs to one term. */
    private record Leading(Term term, VolumeWorkers lanes, ClaimQueue queue, Reconciler reconciler) {}

    /** Begins to lead; does nothing if it does. */
    public void start() {
        Reconciler begun = lead();
        if (begun != null) {
            begun.start();
        }
    }

    private synchronized @Nullable Reconciler lead() {
        if (leading != null) {
            return null;
        }
        Term term = new Term();
        VolumeWorkers lanes = new VolumeWorkers(operations, term, underWay, work, this);
        ClaimGranting granting = new ClaimGranting(operations, lanes);
        Reconciler reconciler = new Reconciler(operations, lanes);
        leading = new Leading(term, lanes, new ClaimQueue(operations, term, granting::grant), reconciler);
        return reconciler;
    }

    /** Ends leading; does nothing if it does not lead. Calls under way are not cancelled: that would undo nothing (R30). */
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
        fullNodes.stop();
        last.reconciler().stop();
        last.queue().close();
        last.lanes().close();
    }

    boolean isLeading() {
        return leading != null;
    }

    /** Stands for the time this engine leads: the same object as long as it does without a break. */
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
    public void freed(VolumeKey key) {
        Leading now = leading;
        if (now != null) {
            now.queue().wake(key);
        }
    }

    @Override
    public void publishFailed(PluginOnNode place, VolumeKey key, Throwable why) {
        fullNodes.refused(place, key, why);
    }

    @Override
    public void claimRefused(VolumeKey key, Claim claim, Throwable why) {
        Leading now = leading;
        if (now != null) {
            now.queue().refused(key, claim, why);
        }
    }

    @Override
    public void detached(PluginOnNode place) {
        refusedVolumes.detached(operations.state(), place);
    }

    @Override
    public void pluginsChanged() {
        refusedVolumes.look(operations.state());
    }

    public void tryNow(VolumeKey key) {
        Leading now = leading;
        if (now != null) {
            now.lanes().tryNow(key);
        }
    }

    @Override
    public void lateCallEnded(VolumeKey key) {
        Leading now = leading;
        if (now != null) {
            now.lanes().wake(key);
        }
    }

    /**
     * Claims all volumes an allocation needs, or none, and waits until they are published. A claim that cannot
     * be taken now waits; cancelling the future leaves the queue, and releases what the request took.
     */
    public CompletableFuture<ClaimGrant> claim(Caller caller, AllocationId allocationId, List<ClaimRequest> requests) {
        // Says what is wrong with the list before anything is done.
        var checked = new ClaimCommand.TakeClaims(allocationId, requests, operations.now());
        try {
            checked.requests().forEach(request -> mount(caller, request.volume()));
            allocationOf(caller, allocationId);
            PendingClaim claim = new PendingClaim(caller, allocationId, checked.requests(), operations.now());
            leading().queue().add(claim);
            return claim.result;
        } catch (CsiException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /** Claiming for an allocation needs authority in its namespace too. The transaction refuses one that is not known. */
    private void allocationOf(Caller caller, AllocationId allocationId) {
        operations
                .state()
                .allocation(allocationId)
                .ifPresent(known -> operations.allow(caller, Access.in(known.namespace(), Permission.VOLUME_MOUNT)));
    }

    private void mount(Caller caller, VolumeKey key) {
        mounting(key.namespace()).forEach(access -> operations.allow(caller, access));
    }

    /** What using volumes of a namespace needs. */
    static List<Access> mounting(Namespace namespace) {
        return List.of(Access.in(namespace, Permission.VOLUME_MOUNT), Access.of(Permission.PLUGIN_READ));
    }

    /** What somebody lacks to submit a workload (S24). */
    public List<Access> missing(
            Caller caller, Namespace namespace, List<VolumeRequest> requests, Set<PluginId> deploys) {
        List<Access> needed = new ArrayList<>();
        if (!requests.isEmpty()) {
            needed.addAll(mounting(namespace));
        }
        if (!deploys.isEmpty()) {
            needed.add(Access.of(Permission.PLUGIN_DEPLOY));
        }
        return needed.stream()
                .filter(access -> !operations.ports().access().allows(caller.principal(), access))
                .toList();
    }

    /** The allocation needs the volume no more. Completes once that is on record; the rest is done in the background. */
    public CompletableFuture<Void> release(Caller caller, VolumeKey key, AllocationId allocationId) {
        return operations.run(() -> {
            mount(caller, key);
            return checkpoint(key, allocationId, false);
        });
    }

    /** As {@link #release(Caller, VolumeKey, AllocationId)}, and only what was granted at this taken index. */
    public CompletableFuture<Void> release(Caller caller, VolumeKey key, AllocationId allocationId, long takenIndex) {
        if (takenIndex < 1) {
            throw new IllegalArgumentException(
                    "takenIndex: " + takenIndex + " is no index of a claim; use that of the claim in the grant");
        }
        return operations.run(() -> {
            mount(caller, key);
            return checkpoint(key, allocationId, takenIndex, false);
        });
    }

    /**
     * The node's own report that nothing of the volume is left there for the allocation. The node is asked no more, so
     * the right to mount is not enough to give it. That the report is of that very node the host has to see to.
     */
    public CompletableFuture<Void> nodeReleased(
            Caller caller, VolumeKey key, NodeId nodeId, AllocationId allocationId) {
        return operations.run(() -> {
            operations.allow(caller, Access.of(Permission.NODE_REPORT));
            boolean itsNode = operations
                    .volume(key)
                    .claims()
                    .get(allocationId)
                    .filter(claim -> claim.nodeId().equals(nodeId))
                    .isPresent();
            return itsNode ? checkpoint(key, allocationId, true) : CompletableFuture.completedFuture(null);
        });
    }

    private CompletableFuture<Void> checkpoint(VolumeKey key, AllocationId allocationId, boolean detached) {
        long claim = claim(key, allocationId, Claim::takenIndex);
        return checkpoint(key, allocationId, claim, detached).thenCompose(written -> {
            // This server was behind: what the allocation had when it asked is seen now that the command is applied
            // here.
            long seen = claim(key, allocationId, Claim::takenIndex);
            boolean another = seen != claim && seen != NOTHING && !detached;
            return another ? checkpoint(key, allocationId, seen, false) : CompletableFuture.completedFuture(null);
        });
    }

    private CompletableFuture<Void> checkpoint(VolumeKey key, AllocationId allocationId, long claim, boolean detached) {
        var releasing = new ClaimCommand.CheckpointClaim(
                key, allocationId, claim, ClaimState.UNPUBLISHING, Optional.empty(), operations.now());
        var done = new ClaimCommand.CheckpointClaim(
                key, allocationId, claim, ClaimState.NODE_DETACHED, Optional.empty(), operations.now());
        return operations
                .submit(detached ? new Batch(List.of(releasing, done), operations.now()) : releasing)
                .thenAccept(accepted -> wake(key));
    }

    /** Which claim is meant: the one there is now. The command may come through when the allocation has another one. */
    private long claim(VolumeKey key, AllocationId allocationId, ToLongFunction<Claim> index) {
        return operations
                .state()
                .volume(key)
                .flatMap(volume -> volume.claims().get(allocationId))
                .map(index::applyAsLong)
                .orElse(NOTHING);
    }

    /** Has a reaper look at a volume (S13). */
    public CompletableFuture<Void> collect(Caller caller, VolumeKey key) {
        return operations.run(() -> {
            operations.allow(caller, Access.in(key.namespace(), Permission.VOLUME_WRITE));
            return operations
                    .submit(new VolumeCommand.MarkForGc(key, operations.now()))
                    .thenAccept(accepted -> {
                        Leading now = leading;
                        if (now != null) {
                            now.lanes().sweep(key);
                        }
                    });
        });
    }

    /** An operator's word that nothing is left on the claim's node (N2). */
    public CompletableFuture<Outcome.Accepted> overrideClaim(
            Caller caller, VolumeKey key, AllocationId allocationId, String why) {
        return operations.run(() -> {
            operations.allow(caller, Access.of(Permission.MANAGEMENT));
            String who = caller.principal().getName();
            long claim = operations
                    .volume(key)
                    .claims()
                    .get(allocationId)
                    .map(Claim::createIndex)
                    .orElseThrow(() -> new RejectedException(new Rejection.ClaimNotFound(key, allocationId)));
            return operations
                    .submit(new ClaimCommand.OverrideClaim(key, allocationId, claim, who, why, operations.now()))
                    .whenComplete((accepted, failure) -> wake(key));
        });
    }

    /** An operator's word that the volume is detached from the node (N2). */
    public CompletableFuture<Outcome.Accepted> overrideAttachment(
            Caller caller, VolumeKey key, NodeId nodeId, String why) {
        return operations.run(() -> {
            operations.allow(caller, Access.of(Permission.MANAGEMENT));
            String who = caller.principal().getName();
            long intent = operations
                    .volume(key)
                    .attachments()
                    .on(nodeId)
                    .map(Attachment::createIndex)
                    .orElseThrow(() -> new RejectedException(new Rejection.AttachmentNotFound(key, nodeId)));
            return operations
                    .submit(new AttachmentCommand.OverrideAttachment(key, nodeId, intent, who, why, operations.now()))
                    .whenComplete((accepted, failure) -> wake(key));
        });
    }

    private void wake(VolumeKey key) {
        Leading now = leading;
        if (now != null) {
            now.lanes().wake(key);
        }
    }

    /** Tries at once what remains to be done for a volume on a node, and tells what came of it (S14). */
    public CompletableFuture<DetachReport> detach(Caller caller, VolumeKey key, NodeId nodeId) {
        return operations.run(() -> {
            mount(caller, key);
            Volume before = operations.volume(key);
            leading();
            return unrecorded.intend(key, nodeId).thenCompose(notAsked -> {
                DetachWaiter waiter = new DetachWaiter(before, nodeId, notAsked);
                leading().lanes().await(key, waiter, VolumeWorker.Urgency.NOW);
                return waiter.report();
            });
        });
    }

    /** What is known of a volume, and what remains to be done for it. */
    public Optional<VolumeStatus> status(Caller caller, VolumeKey key) {
        operations.allow(caller, Access.in(key.namespace(), Permission.VOLUME_READ));
        InFlightSnapshot calls = underWay.of(key);
        StateReader state = operations.state();
        Leading now = leading;
        return VolumeView.of(state, key).map(view -> {
            Plan plan = VolumePlan.of(
                    view.volume(),
                    PlanFacts.from(state, view.volume(), operations.now())
                            .defaultFencing(operations.ports().options().fencingPolicy())
                            .calls(calls)
                            .build());
            List<WaitingClaim> waiting = now == null ? List.of() : now.queue().waiting(key);
            return new VolumeStatus(
                    views.shown(caller, state, view),
                    WorkReport.of(plan),
                    waiting.stream().map(StateViews::withoutFlags).toList());
        });
    }

    /** Everybody who waits, in the order they came; nobody on an engine that does not lead. */
    List<WaitingClaim> waitingClaims() {
        Leading now = leading;
        return now == null ? List.of() : now.queue().waiting();
    }

    /** How many volumes have a lane now; none that is idle. */
    public int lanes() {
        Leading now = leading;
        return now == null ? 0 : now.lanes().size();
    }

    /** How many claims wait. */
    public int waiting() {
        Leading now = leading;
        return now == null ? 0 : now.queue().size();
    }

    public InFlightCalls underWay() {
        return underWay;
    }
}
