package io.csi4j.node.internal.worker;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.node.MountedVolume;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodeUnmount;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.internal.ledger.UnmountOrder;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.DesiredState;
import io.csi4j.node.internal.mount.MountInspector;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Takes the requests for one volume on this node. A request changes the desired state and waits until {@link StepLoop} has brought the
 * volume to it.
 *
 * <p>All state belongs to the tasks of the serial executor; only {@link #view} may be called on other threads. A task waits only for the
 * ledger and the mount table, and futures are completed after the task.
 */
public final class NodeVolumeWorker {
    final VolumeKey key;
    private final NodePorts ports;
    private final WorkerTasks tasks;
    private final LedgerRecord record;
    private final VolumeWaiters waiters;
    private final VolumeRetries retries;
    private final UnmountPatience patience;
    private final NodeCalls calls;
    private final Renewals renewals;
    private final DesiredState desired;
    private final VolumeQueries queries;
    private final CurrentView view;
    private final StepLoop loop;

    /** Creates a worker for a record, or for an empty entry if the volume has no record. */
    public NodeVolumeWorker(
            VolumeEntry entry, NodePorts ports, MountInspector inspector, Predicate<NodeVolumeWorker> retire) {
        this.key = entry.key();
        this.ports = ports;
        this.tasks = new WorkerTasks(
                key, ports.executor(), ports.timer(), ports.options().firstRetry(), ports.reporter(), this::review);
        VolumeParts parts = new VolumeParts(entry, ports, inspector, tasks, this::runThenAdvance);
        this.record = parts.record;
        this.waiters = parts.waiters;
        this.retries = parts.retries;
        this.patience = parts.patience;
        this.calls = parts.calls;
        this.renewals = parts.renewals;
        this.queries = parts.queries;
        this.view = parts.view;
        this.desired = new DesiredState(inspector, ports.paths(), ports.plugins(), ports.machineIds());
        this.loop = new StepLoop(parts, tasks, desired, this::wake, () -> retire.test(this));
    }

    /** Returns the worker's state after its last step. */
    public WorkerView view() {
        return view.get();
    }

    // ---- events: requests, changed plugins, broken mounts, and the end of the worker

    /** Makes the worker plan again. Has no effect if the executor is shut down; the next start resumes the work from the ledger. */
    public void wake() {
        try {
            tasks.execute(loop::advance);
        } catch (RejectedExecutionException e) {
            tasks.reportRejected();
        }
    }

    public CompletableFuture<MountedVolume> mount(NodeMount request) {
        CompletableFuture<MountedVolume> future = new CompletableFuture<>();
        tasks.submit(future, () -> {
            if (future.isDone()) {
                // The caller has cancelled the request, so its use is not added. The worker only plans again, and is
                // removed if it was created for this request.
                loop.advance();
                return;
            }
            UseId use = DesiredState.useOf(record.entry(), request);
            try {
                waiters.comes(use, desire(use, request), request.secrets());
            } catch (NodeVolumeException e) {
                tasks.failLater(future, e);
                return;
            } catch (IOException e) {
                tasks.failLater(future, record.error(e));
                return;
            }
            retries.clear();
            waiters.mount(await(use, use.allocationId(), future, ports.options().mountLimit(), "mounted"));
            loop.advance();
            // A call in flight means that the request is stored, together with the intent of the call or before it.
            if (!tasks.isClosed() && !loop.isCalling() && !record.write()) {
                // Drops the request, because it could not be stored in the ledger.
                record.takeBack();
                waiters.refuse(use, record.error(new IOException(retries.lastError())));
            }
        });
        return future;
    }

    /**
     * Adds the use that a mount request asks for to the record, or updates it. Returns true if the record had no such
     * use, or only one that is ending.
     */
    private boolean desire(UseId use, NodeMount request) throws IOException {
        VolumeEntry entry = record.entry();
        VolumeEntry next = desired.mount(entry, request);
        if (next.equals(entry)) {
            return false;
        }
        boolean isNew = entry.use(use).filter(known -> known.phase().living()).isEmpty();
        if (loop.isCalling() || !record.isWritten()) {
            record.save(next);
        } else {
            // Stores the record later: together with the intent to make the first call, or before a future completes.
            record.set(next);
        }
        return isNew;
    }

    public CompletableFuture<@Nullable Void> unmount(NodeUnmount request) {
        return unmount(request.allocationId(), entry -> desired.unmount(entry, request));
    }

    public CompletableFuture<@Nullable Void> unmountDirectly(NodeUnmount request, UnmountOrder order) {
        return unmount(request.allocationId(), entry -> desired.unmountDirectly(entry, request, order));
    }

    public CompletableFuture<@Nullable Void> forgetUnmount(AllocationId allocation, UnmountOrder order) {
        return unmount(allocation, entry -> desired.forgetUnmount(entry, allocation, order));
    }

    /** Changes a record, unless the request for the change is refused. */
    private interface RecordChange {
        VolumeEntry apply(VolumeEntry entry) throws IOException;
    }

    private CompletableFuture<@Nullable Void> unmount(AllocationId allocation, RecordChange change) {
        CompletableFuture<@Nullable Void> future = new CompletableFuture<>();
        tasks.submit(future, () -> {
            try {
                VolumeEntry next = change.apply(record.entry());
                if (!next.equals(record.entry())) {
                    record.save(next);
                }
            } catch (NodeVolumeException e) {
                tasks.failLater(future, e);
                loop.advance();
                return;
            } catch (IOException | UncheckedIOException e) {
                tasks.failLater(future, record.error(e));
                return;
            }
            waiters.goes(allocation);
            retries.clear();
            waiters.unmount(
                    await(allocation, allocation, future, ports.options().unmountLimit(), "unmounted"));
            loop.advance();
        });
        return future;
    }

    public <T> CompletableFuture<T> query(Function<VolumeEntry, CompletableFuture<T>> call) {
        CompletableFuture<T> result = new CompletableFuture<>();
        tasks.submit(result, () -> {
            queries.add(call, result);
            loop.advance();
        });
        return result;
    }

    /** Returns the record after all earlier tasks of this worker, also while a call is in flight. */
    CompletableFuture<VolumeEntry> recorded() {
        CompletableFuture<VolumeEntry> result = new CompletableFuture<>();
        try {
            tasks.submit(result, () -> {
                VolumeEntry entry = record.entry();
                tasks.afterTask(() -> result.complete(entry));
            });
        } catch (RejectedExecutionException e) {
            result.completeExceptionally(e);
        }
        return result;
    }

    /** Changes the record in a task of this worker, for example because a mount is broken. */
    void change(UnaryOperator<VolumeEntry> change) {
        tasks.run(() -> {
            VolumeEntry changed = change.apply(record.entry());
            if (!tasks.isClosed() && !changed.equals(record.entry()) && record.write(changed)) {
                retries.clear();
            }
            loop.advance();
        });
    }

    /**
     * Closes the worker. When the returned future has completed, nothing is written and no call begins any more, even if the executor is
     * shut down.
     */
    CompletableFuture<@Nullable Void> close() {
        CompletableFuture<@Nullable Void> done = new CompletableFuture<>();
        Runnable end = () -> {
            // Removes directories now, because the task that would remove them may still be queued.
            loop.finishCleanup();
            tasks.close();
            retries.close();
            patience.close();
            calls.close();
            renewals.close();
            waiters.failAll(tasks.closedError());
            queries.failAll(tasks);
            tasks.afterTask(() -> done.complete(null));
        };
        try {
            tasks.execute(end);
        } catch (RejectedExecutionException e) {
            // Runs the last task on this thread. The executor was shut down too early, so no other task of this worker
            // can run at the same time.
            tasks.inTask(end);
        }
        return done;
    }

    private <K, T> VolumeWaiters.MountWait<K, T> await(
            K waitsFor, AllocationId allocation, CompletableFuture<T> future, Duration limit, String what) {
        VolumeWaiters.MountWait<K, T> wait = new VolumeWaiters.MountWait<>(
                waitsFor,
                future,
                new Limit(
                        limit,
                        () -> waitsFor instanceof UseId use && isChangingOwnership(use),
                        () -> tasks.failLater(
                                future,
                                new NodeVolumeException(
                                        Reason.UNFINISHED,
                                        "Volume " + key + " was not " + what + " for allocation " + allocation
                                                + " within " + Durations.text(limit) + ": "
                                                + view.get().reason()))));
        var unused = future.whenComplete((value, error) -> {
            if (error != null) {
                tasks.run(() -> {
                    waiters.abandon(wait);
                    loop.advance();
                });
            }
        });
        return wait;
    }

    /** Returns whether the ownership of a use's files is being changed, and the last attempt did not fail. */
    private boolean isChangingOwnership(UseId use) {
        return retries.lastError().isEmpty()
                && record.entry()
                        .use(use)
                        .filter(found -> found.phase() == UsePhase.OWNERSHIP)
                        .isPresent();
    }

    /** A time limit of a request. It begins again if it ends while something takes place that has no time limit. */
    private final class Limit implements Cancellable {
        private final Duration limit;
        private final BooleanSupplier unlimited;
        private final Runnable over;
        private Cancellable timer;

        Limit(Duration limit, BooleanSupplier unlimited, Runnable over) {
            this.limit = limit;
            this.unlimited = unlimited;
            this.over = over;
            this.timer = ports.timer().schedule(limit, this::ended);
        }

        private void ended() {
            tasks.run(() -> {
                if (unlimited.getAsBoolean()) {
                    timer = ports.timer().schedule(limit, this::ended);
                } else {
                    over.run();
                }
            });
        }

        @Override
        public void cancel() {
            timer.cancel();
        }
    }

    /** Returns whether the worker has nothing to do and no request waits; called in a task of this worker. */
    boolean removable() {
        return tasks.isIdle() && waiters.none() && !record.hasUsesToEnd() && queries.isEmpty();
    }

    private void review() {
        loop.review();
    }

    private void runThenAdvance(Runnable task) {
        tasks.run(() -> {
            task.run();
            loop.advance();
        });
    }
}
