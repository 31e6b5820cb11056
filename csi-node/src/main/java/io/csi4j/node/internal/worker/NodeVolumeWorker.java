package io.csi4j.node.internal.worker;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.SerialExecutor;
import io.csi4j.node.MountPoints;
import io.csi4j.node.MountedVolume;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodePlugin;
import io.csi4j.node.NodeUnmount;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.UnmountOrder;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.DeniedTargets;
import io.csi4j.node.internal.mount.DesiredState;
import io.csi4j.node.internal.mount.MountAction;
import io.csi4j.node.internal.mount.MountFacts;
import io.csi4j.node.internal.mount.MountInspector;
import io.csi4j.node.internal.mount.MountPlan;
import io.csi4j.node.internal.mount.NodeCallResult;
import io.csi4j.node.internal.mount.NodeFailures;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.System.Logger.Level;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Brings one volume to its desired state on this node. It asks {@link MountPlan} for the next action, stores the intent, makes the call,
 * stores the result, and plans again. At most one call is in flight (R26).
 *
 * <p>Read it in this order: the state, the events that change the desired state, the steps that follow, and the serial execution of both.
 * All state belongs to the tasks of the serial executor; only {@link #view} may be called on other threads. A task waits only for the
 * ledger and the mount table, and futures are completed after the task.
 */
public final class NodeVolumeWorker {
    private static final System.Logger LOG = System.getLogger(NodeVolumeWorker.class.getName());

    final VolumeKey key;
    private final NodePorts ports;
    private final MountInspector inspector;
    private final SerialExecutor serial;
    /** The number of tasks that have not begun. */
    private final AtomicInteger pending = new AtomicInteger();

    private final Completions completions;
    /** The futures to complete after the current task. */
    private final List<Runnable> due = new ArrayList<>();

    private final Predicate<NodeVolumeWorker> retire;
    private final LedgerRecord record;
    private final VolumeWaiters waiters;
    private final NodeCalls calls;
    private final VolumeDirectories directories;
    private final VolumeRetries retries;
    private final UnmountPatience patience;
    private final DeniedTargets denied;
    private final MachineCheck machine;
    private final Deque<QueuedQuery<?>> queries = new ArrayDeque<>();

    private boolean calling;
    private boolean queryIsNext;
    private boolean unrecorded;
    /** True if the next step has to remove directories. The waiting futures of callers complete before that step. */
    private boolean cleanupDue;

    private boolean closed;
    /** A mark for the end of the last call, or for the start of the worker. Only a mount table that was read later is used. */
    private long tableValidFrom;

    /**
     * The elapsed time at which this process learned last that a call with an unknown outcome may take effect later. For
     * a stored record that is the start of the process.
     */
    private long uncertainSeen;

    private MountAction.@Nullable Reason reportedReason;
    private volatile WorkerView view;

    /** Creates a worker for a record, or for an empty entry if the volume has no record. */
    public NodeVolumeWorker(
            VolumeEntry entry, NodePorts ports, MountInspector inspector, Predicate<NodeVolumeWorker> retire) {
        this.key = entry.key();
        // The ledger has no record of this volume if the entry is empty and has no ids: a stored record always has the
        // ids of its volume, even without uses.
        this.unrecorded = entry.hasNothing() && entry.uncertainSince() == 0 && entry.id() == null;
        this.ports = ports;
        this.inspector = inspector;
        this.tableValidFrom = inspector.moment();
        this.uncertainSeen = ports.timer().nanoTime();
        this.completions =
                new Completions(ports.executor(), ports.timer(), ports.options().firstRetry());
        // The thread of the tasks also completes the futures, but only after the tasks, so that a callback may block.
        this.serial = new SerialExecutor(
                tasks -> ports.executor().execute(() -> {
                    tasks.run();
                    completions.runAdded();
                }),
                NodeVolumeWorker::log);
        this.retire = retire;
        this.retries = new VolumeRetries(ports, this::runThenAdvance);
        this.patience = new UnmountPatience(ports, this::runThenAdvance);
        this.record = new LedgerRecord(entry, ports, retries);
        this.calls = new NodeCalls(ports, this::callUnlessClosed);
        this.directories = new VolumeDirectories(ports, key);
        this.waiters = new VolumeWaiters(ports.paths(), record, calls, due::add, this::runThenAdvance);
        this.denied = new DeniedTargets(ports.paths());
        this.machine = new MachineCheck(ports.plugins(), ports.machineIds());
        this.view = WorkerView.of(entry, inspector.unlooked(), atFirst(entry), "", null);
    }

    /**
     * Returns the action that the status of the volume is derived from before the worker's first step. A record without
     * uses counts as removed, because only a crash can have prevented its removal.
     */
    private static MountAction atFirst(VolumeEntry entry) {
        boolean nothing = entry.hasNothing() && !entry.rebuilt() && entry.uncertainSince() == 0;
        return nothing ? new MountAction.Forget() : new MountAction.Settled();
    }

    /** Returns the worker's state after its last step. */
    public WorkerView view() {
        return view;
    }

    // ---- events: requests, changed plugins, broken mounts, and the end of the worker

    /** Makes the worker plan again. Has no effect if the executor is shut down; the next start resumes the work from the ledger. */
    public void wake() {
        try {
            execute(this::advance);
        } catch (RejectedExecutionException e) {
            reportRejected();
        }
    }

    public CompletableFuture<MountedVolume> mount(NodeMount request) {
        CompletableFuture<MountedVolume> future = new CompletableFuture<>();
        submit(future, () -> {
            if (future.isDone()) {
                // The caller has cancelled the request, so its use is not added. The worker only plans again, and is
                // removed if it was created for this request.
                advance();
                return;
            }
            AllocationId allocation = request.allocationId();
            try {
                machine.mounting(request.id(), request.externalNodeId());
                waiters.comes(allocation, desire(request), request.secrets());
            } catch (NodeVolumeException e) {
                failLater(future, e);
                return;
            } catch (IOException e) {
                failLater(future, record.error(e));
                return;
            }
            retries.clear();
            waiters.mount(await(allocation, future, ports.options().mountLimit(), "mounted"));
            advance();
            // A call in flight means that the request is stored, together with the intent of the call or before it.
            if (!closed && !calling && !record.write()) {
                // Drops the request, because it could not be stored in the ledger.
                record.takeBack();
                waiters.refuse(allocation, record.error(new IOException(retries.lastError())));
            }
        });
        return future;
    }

    /**
     * Adds the use that a mount request asks for to the record, or updates it. Returns true if the allocation had no
     * use of the volume, or only one that is ending.
     */
    private boolean desire(NodeMount request) throws IOException {
        VolumeEntry entry = record.entry();
        VolumeEntry desired = DesiredState.mount(entry, request, inspector);
        if (desired.equals(entry)) {
            return false;
        }
        boolean isNew = entry.use(request.allocationId())
                .filter(use -> use.phase().living())
                .isEmpty();
        if (calling || !record.isWritten()) {
            record.save(desired);
        } else {
            // Stores the record later: together with the intent to make the first call, or before a future completes.
            record.set(desired);
        }
        return isNew;
    }

    public CompletableFuture<@Nullable Void> unmount(NodeUnmount request) {
        return unmount(request.allocationId(), entry -> {
            boolean recorded = entry.use(request.allocationId()).isPresent();
            machine.unmounting(request.id(), request.externalNodeId(), recorded);
            return DesiredState.addUnrecordedUse(entry, request, inspector, ports.paths());
        });
    }

    public CompletableFuture<@Nullable Void> unmountDirectly(NodeUnmount request, UnmountOrder order) {
        return unmount(
                request.allocationId(),
                entry -> DesiredState.unmountDirectly(entry, request, order, inspector, ports.paths()));
    }

    public CompletableFuture<@Nullable Void> forgetUnmount(AllocationId allocation, UnmountOrder order) {
        return unmount(
                allocation, entry -> DesiredState.forgetUnmount(entry, allocation, order, inspector, ports.paths()));
    }

    /** Changes a record, unless the request for the change is refused. */
    private interface RecordChange {
        VolumeEntry apply(VolumeEntry entry) throws IOException;
    }

    private CompletableFuture<@Nullable Void> unmount(AllocationId allocation, RecordChange change) {
        CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
        submit(future, () -> {
            try {
                VolumeEntry desired = change.apply(record.entry());
                if (!desired.equals(record.entry())) {
                    record.save(desired);
                }
            } catch (NodeVolumeException e) {
                failLater(future, e);
                advance();
                return;
            } catch (IOException | UncheckedIOException e) {
                failLater(future, record.error(e));
                return;
            }
            waiters.goes(allocation);
            retries.clear();
            waiters.unmount(await(allocation, future, ports.options().unmountLimit(), "unmounted"));
            advance();
        });
        return future;
    }

    public <T> CompletableFuture<T> query(Function<VolumeEntry, CompletableFuture<T>> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        submit(result, () -> {
            queries.add(new QueuedQuery<>(call, result));
            advance();
        });
        return result;
    }

    /** Returns the record after all earlier tasks of this worker, also while a call is in flight. */
    CompletableFuture<VolumeEntry> recorded() {
        CompletableFuture<VolumeEntry> result = new CompletableFuture<>();
        try {
            submit(result, () -> {
                VolumeEntry entry = record.entry();
                due.add(() -> result.complete(entry));
            });
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(e);
        }
        return result;
    }

    /** Changes the record in a task of this worker, for example because a mount is broken. */
    void change(UnaryOperator<VolumeEntry> change) {
        run(() -> {
            VolumeEntry changed = change.apply(record.entry());
            if (!closed && !changed.equals(record.entry()) && record.write(changed)) {
                retries.clear();
            }
            advance();
        });
    }

    /**
     * Closes the worker. When the returned future has completed, nothing is written and no call begins any more, even if the executor is
     * shut down.
     */
    CompletableFuture<@Nullable Void> close() {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        Runnable end = () -> {
            if (cleanupDue) {
                // Removes directories now, because the task that would remove them may still be queued.
                advance();
            }
            closed = true;
            retries.close();
            patience.close();
            waiters.failAll(closedError());
            queries.forEach(query -> failLater(query.result(), closedError()));
            queries.clear();
            due.add(() -> done.complete(null));
        };
        try {
            execute(end);
        } catch (RejectedExecutionException e) {
            // Runs the last task on this thread. The executor was shut down too early, so no other task of this worker
            // can run at the same time.
            inTask(end);
        }
        return done;
    }

    private <T> VolumeWaiters.MountWait<T> await(
            AllocationId allocation, CompletableFuture<T> future, Duration limit, String what) {
        VolumeWaiters.MountWait<T> wait = new VolumeWaiters.MountWait<>(
                allocation,
                future,
                ports.timer()
                        .schedule(
                                limit,
                                () -> run(() -> failLater(
                                        future,
                                        new NodeVolumeException(
                                                Reason.UNFINISHED,
                                                "Volume " + key + " was not " + what + " for allocation " + allocation
                                                        + " within " + limit + ": " + view.reason())))));
        var unused = future.whenComplete((value, error) -> {
            if (error != null) {
                run(() -> {
                    waiters.abandon(wait);
                    advance();
                });
            }
        });
        return wait;
    }

    // ---- steps: plan, store the intent, make the call, store the result

    private void advance() {
        if (!closed && !retries.stalled()) {
            // Stores ended uses even while a call is in flight, because an ended use must not return after a crash.
            writeEndedUses();
        }
        boolean again = true;
        while (again && !closed && !calling && !retries.stalled()) {
            writeEndedUses();
            again = !retries.stalled() && step();
        }
        if (retries.stalled()) {
            view = view.stalled(retries.stallReason(), ports.timer().nanoTime());
        }
    }

    private void writeEndedUses() {
        record.writeEndedUses().forEach(waiters::ended);
    }

    /** Plans and performs the next action. Returns true if the worker has to plan another action now. */
    private boolean step() {
        cleanupDue = false;
        Optional<MountPoints> table = table();
        MountFacts facts;
        try {
            facts = inspector
                    .facts(record.entry(), retries.deferred(), directories.dealtWith(), table)
                    .withDenied(
                            denied.mounted(record.entry(), table),
                            ports.options().directUnmount())
                    .withRefused(patience.refused(), patience.isOver());
        } catch (UncheckedIOException e) {
            retries.stall(String.valueOf(e.getMessage()));
            return false;
        }
        if (table.isPresent()
                && record.entry().rebuilt()
                && facts.orphanedTargets().isEmpty()
                && facts.orphanedStagings().isEmpty()) {
            record.set(record.entry().complete());
        }
        MountAction action = MountPlan.next(record.entry(), facts);
        view = WorkerView.of(record.entry(), facts, action, retries.lastError(), unfinishedSince(action));
        followPatience(action);
        boolean query = !queries.isEmpty() && (queryIsNext || !action.isCall());
        boolean call = !query && action.isCall();
        if (!call && !record.write()) {
            return false;
        }
        if (waiters.completeDone(facts) && !action.isCall() && (record.entry().hasNothing() || directories.isDue())) {
            // Leaves the removal of directories to the next task, so that the callers' futures complete first.
            cleanupDue = true;
            due.add(this::wake);
            return false;
        }
        if (!(action instanceof MountAction.Unstage)) {
            directories.clean(table);
        }
        if (query) {
            runQuery();
            return true;
        }
        if (call) {
            begin(action, facts, table);
            return true;
        }
        if (record.entry().hasNothing()
                && (action instanceof MountAction.Forget || action instanceof MountAction.Settled)) {
            // Removes the empty directories now. The record itself may be kept longer, until no late call can take
            // effect.
            table.ifPresent(directories::sweep);
        }
        return settle(action);
    }

    /** Returns since when the work on the volume is unfinished, on elapsed time; empty if none is. */
    private @Nullable Long unfinishedSince(MountAction action) {
        if (!WorkerView.isUnfinished(record.entry(), action)) {
            return null;
        }
        Long since = view.unfinishedSince();
        return since != null ? since : Long.valueOf(ports.timer().nanoTime());
    }

    private void followPatience(MountAction action) {
        boolean unmounting = record.entry().isUnmounting()
                || record.entry().uses().stream().anyMatch(use -> use.phase().goes());
        if (!unmounting) {
            patience.reset();
        } else if (action instanceof MountAction.Await await && await.reason() == MountAction.Reason.PLUGIN) {
            patience.pluginMissing();
        }
    }

    private void runQuery() {
        QueuedQuery<?> query = queries.remove();
        queryIsNext = false;
        calling = true;
        var unused = query.run(record.entry()).whenComplete((telling, never) -> {
            run(() -> {
                calling = false;
                due.add(telling);
                advance();
            });
        });
    }

    private void begin(MountAction action, MountFacts facts, Optional<MountPoints> table) {
        queryIsNext = true;
        NodeVolumeId id = record.entry().id();
        Optional<NodePlugin> plugin =
                id == null ? Optional.empty() : ports.plugins().find(id.pluginId());
        if (plugin.isEmpty() && !(action instanceof MountAction.DirectUnmount)) {
            // Makes no call, because the plugin disappeared after the facts were collected; the next step handles this.
            record.write();
            return;
        }
        if (action.isMaking() && !learnMachine(id)) {
            return;
        }
        calls.announce(record.entry(), action);
        directories.used(calls.path(record.entry(), action));
        if (!record.writeIntent(MountPlan.begun(record.entry(), action, inspector.bootId()))) {
            return;
        }
        waiters.completeDone(facts);
        calling = true;
        view = NodeCalls.rpc(action)
                .map(rpc ->
                        view.calling(new WorkerView.InFlight(rpc, ports.timer().nanoTime())))
                .orElse(view);
        CompletableFuture<?> call = calls.make(record.entry(), action, plugin, table);
        if (action instanceof MountAction.Stage) {
            // Creates the target's directories while the plugin stages the volume, which saves time before
            // NodePublishVolume.
            directories.willPublish();
        }
        var unused = call.whenComplete((answer, error) -> run(() -> {
            calling = false;
            view = view.called();
            if (!closed) {
                tableValidFrom = inspector.moment();
                Throwable cause = error == null ? null : Futures.unwrap(error);
                Optional<MountPoints> after = table();
                denied.ended(record.entry(), action, cause, after);
                callEnded(action, cause, after);
                advance();
            }
        }));
    }

    /** Stores the plugin's id of this machine before the first mount of the plugin; false if that failed. */
    private boolean learnMachine(@Nullable NodeVolumeId id) {
        try {
            if (id != null) {
                Object unused = machine.learn(id.pluginId());
            }
            return true;
        } catch (IOException e) {
            retries.stall("the id of this machine could not be stored: " + NodeFailures.text(e));
            return false;
        }
    }

    /**
     * Handles the end of a call. The given mount table was read after the call. One write stores the result and the
     * intent to make the next call.
     */
    private void callEnded(MountAction action, @Nullable Throwable error, Optional<MountPoints> table) {
        VolumeEntry entry = record.entry();
        VolumeKey key = entry.key();
        Path path = calls.path(entry, action);
        NodeCallResult outcome = NodeCallResult.of(entry, action, path, error, table);
        if (outcome.problem() != null) {
            if (outcome.vain()) {
                record.set(MountPlan.vain(entry, action));
            }
            callFailed(action, outcome.problem());
            return;
        }
        boolean unused = inspector.stagingSound(path);
        AllocationId allocation = NodeCalls.allocation(action);
        boolean leaving = allocation != null
                && entry.use(allocation)
                        .map(UseEntry::phase)
                        .filter(UsePhase::living)
                        .isEmpty();
        record.set(MountPlan.done(entry, action, outcome.observed()));
        retries.succeeded(action);
        if (!action.isMaking()) {
            patience.reset();
        }
        if (allocation != null && !action.isMaking()) {
            // Forgets the failures of NodeUnpublishVolume, because the direct unmount has succeeded.
            retries.succeeded(new MountAction.Unpublish(allocation));
            retries.succeeded(new MountAction.DirectUnmount(allocation));
        }
        if (action instanceof MountAction.Publish && !leaving) {
            ports.reporter().report(Kind.MOUNTED, key, allocation, "Volume " + key + " is mounted at " + path);
        }
        if (!action.isMaking()) {
            directories.gone(path);
        }
        boolean unmounted = action instanceof MountAction.Unpublish || action instanceof MountAction.DirectUnmount;
        if (unmounted && leaving) {
            ports.reporter().report(Kind.UNMOUNTED, key, allocation, "Volume " + key + " is unmounted from " + path);
        }
    }

    private void callFailed(MountAction action, Throwable error) {
        VolumeEntry entry = record.entry();
        String text = NodeFailures.text(error);
        ports.reporter()
                .report(
                        Kind.STEP_FAILED,
                        entry.key(),
                        NodeCalls.allocation(action),
                        "Volume " + entry.key() + ", " + action.getClass().getSimpleName() + ": " + text);
        if (!action.isMaking()) {
            patience.failed(action, error);
        }
        if (action.isMaking() && NodeFailures.outcomeUnknown(error)) {
            uncertainSeen = ports.timer().nanoTime();
            record.write(entry.uncertainAt(ports.clock().millis()));
        }
        if (action.isMaking() && NodeFailures.permanent(error)) {
            for (UseEntry use : entry.living()) {
                boolean concerned = action instanceof MountAction.Stage
                        || use.allocationId().equals(NodeCalls.allocation(action));
                if (concerned) {
                    waiters.fail(use.allocationId(), error);
                }
            }
        }
        retries.failed(action, text);
    }

    /**
     * Performs an action that makes no call: refuses a use, removes the record of the volume, or waits. Returns true if
     * the worker has to plan its next action now.
     */
    private boolean settle(MountAction action) {
        if (action instanceof MountAction.Refuse refuse) {
            if (!record.write(record.entry().without(refuse.allocationId()))) {
                return false;
            }
            waiters.refuse(refuse.allocationId(), DesiredState.conflict(key, refuse));
            return true;
        }
        if (action instanceof MountAction.Forget) {
            forget();
            return false;
        }
        if (action instanceof MountAction.ForgetTarget target) {
            Optional<UseEntry> use = record.entry().use(target.allocationId());
            boolean sure = use.filter(each -> each.answered() || inspector.otherBoot(each.bootId()))
                    .isPresent();
            return finishWithoutPlugin(target, new MountAction.Unpublish(target.allocationId()), sure);
        }
        if (action instanceof MountAction.ForgetStaging) {
            StagingEntry staging = record.entry().staging();
            boolean sure = staging != null && (staging.wasAnswered() || inspector.otherBoot(staging.bootId()));
            return finishWithoutPlugin(action, new MountAction.Unstage(), sure);
        }
        if (action instanceof MountAction.Await await) {
            reportOnce(await.reason());
            if (await.reason() == MountAction.Reason.PLUGIN) {
                retries.planAgain(ports.options().pluginPoll());
            }
            return false;
        }
        reportedReason = null;
        VolumeEntry entry = record.entry();
        return entry.hasNothing() && entry.uncertainSince() != 0 && lateWorkEnded(entry);
    }

    /**
     * Finishes an unmount without the plugin, because nothing is mounted and the plugin does not do it. Returns true if
     * the record was written.
     *
     * @param instead the call that is not made
     * @param sure whether no earlier call can mount the volume later; otherwise the volume stays under observation
     */
    private boolean finishWithoutPlugin(MountAction action, MountAction instead, boolean sure) {
        VolumeEntry entry = record.entry();
        Path path = calls.path(entry, instead);
        UnmountOrder order = entry.forgetOrder();
        boolean boot = !inspector.bootId().isEmpty()
                && bootOf(entry, action).filter(inspector::otherBoot).isPresent();
        VolumeEntry next = MountPlan.done(entry, action, false);
        if (!sure) {
            uncertainSeen = ports.timer().nanoTime();
            next = next.uncertainAt(ports.clock().millis());
        }
        if (!record.write(next)) {
            return false;
        }
        String why = order != null
                ? order.printable()
                : "its plugin did not unmount it within " + ports.options().withoutPluginAfter() + ", and "
                        + (boot ? "the machine was booted since" : "the mount has disappeared");
        ports.reporter()
                .report(
                        Kind.UNMOUNT_FORGOTTEN,
                        key,
                        NodeCalls.allocation(instead),
                        "Volume " + key + " is not mounted at " + path
                                + ", and its unmount there is finished without the plugin: " + why);
        retries.succeeded(instead);
        directories.gone(path);
        return true;
    }

    private static Optional<String> bootOf(VolumeEntry entry, MountAction action) {
        StagingEntry staging = entry.staging();
        return action instanceof MountAction.ForgetTarget target
                ? entry.use(target.allocationId()).map(UseEntry::bootId)
                : Optional.ofNullable(staging).map(StagingEntry::bootId);
    }

    private void forget() {
        try {
            record.remove();
            // Writes nothing more after this worker is removed, because another worker then handles new requests for
            // the volume.
            if (retire.test(this)) {
                closed = true;
            }
        } catch (IOException e) {
            retries.failed(new MountAction.Forget(), "the record could not be removed: " + NodeFailures.text(e));
        }
    }

    private boolean lateWorkEnded(VolumeEntry entry) {
        // The stored time is for people: it may come from an earlier process, and the clock may have been set since.
        Duration since = Duration.ofNanos(ports.timer().nanoTime() - uncertainSeen);
        Duration left = ports.options().lateWork().minus(since);
        if (left.isNegative() || left.isZero()) {
            return record.write(entry.uncertainAt(0));
        }
        retries.planAgain(left);
        return false;
    }

    private void reportOnce(MountAction.Reason reason) {
        if (reason != reportedReason
                && (reason == MountAction.Reason.OWNERS || reason == MountAction.Reason.IDENTITY)) {
            ports.reporter().report(Kind.OWNER_UNKNOWN, key, null, "Volume " + key + ": " + reason.text);
        }
        reportedReason = reason;
    }

    private Optional<MountPoints> table() {
        return inspector.table(tableValidFrom);
    }

    // ---- serial execution

    /** Returns whether the worker has nothing to do and no request waits; called in a task of this worker. */
    boolean removable() {
        return pending.get() == 0 && waiters.none() && !record.hasUsesToEnd() && queries.isEmpty();
    }

    /** Runs a task that must not be lost; if the executor rejects the task, it is submitted again later. */
    private void run(Runnable task) {
        try {
            execute(task);
        } catch (RejectedExecutionException e) {
            reportRejected();
            ports.timer().schedule(ports.options().firstRetry(), () -> run(task));
        }
    }

    private void runThenAdvance(Runnable task) {
        run(() -> {
            task.run();
            advance();
        });
    }

    /**
     * Runs a request in a task; the future of the request fails if the worker is closed.
     *
     * @throws RejectedExecutionException if the executor is shut down
     */
    private void submit(CompletableFuture<?> future, Runnable request) {
        execute(() -> {
            if (closed) {
                failLater(future, closedError());
                return;
            }
            try {
                request.run();
            } catch (RuntimeException | Error e) {
                // The request failed, so its future fails, too. Otherwise the caller would wait forever.
                failLater(future, e);
                throw e;
            }
        });
    }

    /** Makes a call that had to wait for its secrets, unless the worker was closed meanwhile. */
    private CompletableFuture<?> callUnlessClosed(Supplier<CompletableFuture<?>> call) {
        CompletableFuture<@Nullable Object> result = new CompletableFuture<>();
        try {
            serial.execute(() -> {
                CompletableFuture<?> started = closed
                        ? CompletableFuture.failedFuture(closedError())
                        : NodeCalls.start(() -> call.get().thenApply(answer -> answer));
                var unused = started.whenComplete((answer, error) -> Futures.complete(result, answer, error));
            });
        } catch (RejectedExecutionException e) {
            // The outcome is known: the plugin was not called.
            result.completeExceptionally(new IOException("nothing was sent, since the executor takes no more work", e));
        }
        return result;
    }

    /**
     * Runs a task after all earlier tasks.
     *
     * @throws RejectedExecutionException if the executor rejects the task, which then does not run
     */
    private void execute(Runnable task) {
        pending.incrementAndGet();
        try {
            serial.execute(() -> {
                pending.decrementAndGet();
                inTask(task);
            });
        } catch (RejectedExecutionException e) {
            pending.decrementAndGet();
            throw e;
        }
    }

    private void inTask(Runnable task) {
        try {
            review();
            task.run();
        } finally {
            List<Runnable> ended = List.copyOf(due);
            due.clear();
            if (closed) {
                completions.startLast(ended);
            } else if (pending.get() > 0) {
                completions.start(ended);
            } else {
                completions.add(ended);
            }
        }
    }

    private static void log(Throwable error) {
        LOG.log(Level.ERROR, "A step of a volume on this node failed unexpectedly; the next one runs", error);
    }

    /**
     * Looks for mounts of the volume before the first task of a worker without a record. A mount that is found is
     * recorded with an unknown owner.
     */
    private void review() {
        if (unrecorded) {
            unrecorded = false;
            boolean suspect = true;
            try {
                suspect = inspector.somethingIsThere(record.entry(), tableValidFrom);
            } catch (UncheckedIOException e) {
                ports.reporter().report(Kind.STEP_FAILED, key, null, "Volume " + key + ": " + e.getMessage());
            }
            record.begin(VolumeEntry.empty(key, suspect));
        }
    }

    private void failLater(CompletableFuture<?> future, Throwable error) {
        due.add(() -> future.completeExceptionally(error));
    }

    private void reportRejected() {
        ports.reporter()
                .report(
                        Kind.STEP_FAILED,
                        key,
                        null,
                        "The executor takes no more work; volume " + key
                                + " stays as it is until it does, or until the next start");
    }

    private NodeVolumeException closedError() {
        return new NodeVolumeException(
                Reason.CLOSED,
                "The node volumes were closed; what was begun for volume " + key + " continues at the next start");
    }
}
