package io.csi4j.node.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Keeps requests until the node's volumes have started, then passes them to the workers. */
public final class StartupGate {
    private final NodeVolumeWorkers workers;
    private final Shutdown end;
    private final Completions completions;
    private final AtomicReference<@Nullable CompletableFuture<@Nullable Void>> started = new AtomicReference<>();
    /**
     * Requests that arrived during the start, in order. Each supplier passes a request to the workers and returns the task that completes
     * the caller's future. Guarded by the lock of this queue.
     */
    private final Deque<Supplier<Runnable>> early = new ArrayDeque<>();

    /** Completes after all early requests were passed to the workers, so that no later request overtakes them. */
    private final CompletableFuture<@Nullable Void> ready = new CompletableFuture<>();

    private volatile boolean open;

    /**
     * Creates a gate that keeps all requests until the start has ended.
     */
    public StartupGate(NodeVolumeWorkers workers, Shutdown end, NodePorts ports) {
        this.workers = workers;
        this.end = end;
        this.completions =
                new Completions(ports.executor(), ports.timer(), ports.options().firstRetry());
    }

    /**
     * Returns a future that the caller has to complete when it has loaded the ledger or has failed. Throws an exception
     * at the second call, because the volumes can be started only once.
     */
    public CompletableFuture<@Nullable Void> start() {
        CompletableFuture<@Nullable Void> begun = new CompletableFuture<>();
        if (!started.compareAndSet(null, begun)) {
            throw new IllegalStateException("these node volumes were started already; start them once");
        }
        var unused = begun.whenComplete((nothing, error) -> {
            List<Runnable> toReport = letIn();
            if (error != null) {
                toReport.add(() -> ready.completeExceptionally(error));
            }
            completions.add(toReport);
            completions.runAdded();
        });
        return begun;
    }

    /** Opens the gate after a successful start. Callbacks of callers run in this method and may block. */
    public void reportReady() {
        ready.complete(null);
    }

    private List<Runnable> letIn() {
        List<Runnable> toReport = new ArrayList<>();
        for (Supplier<Runnable> first = firstOrOpen(); first != null; first = firstOrOpen()) {
            toReport.add(first.get());
        }
        return toReport;
    }

    private @Nullable Supplier<Runnable> firstOrOpen() {
        synchronized (early) {
            Supplier<Runnable> first = early.poll();
            open = first == null;
            return first;
        }
    }

    /** Returns the future of the start; null if {@link #start} was not called. */
    public @Nullable CompletableFuture<@Nullable Void> begun() {
        return started.get();
    }

    public CompletableFuture<@Nullable Void> ready() {
        CompletableFuture<?> unused = started();
        return ready;
    }

    private CompletableFuture<@Nullable Void> started() {
        CompletableFuture<@Nullable Void> begun = started.get();
        if (begun == null) {
            throw new IllegalStateException("these node volumes were not started; call start() first");
        }
        return begun;
    }

    public <T> CompletableFuture<T> withWorker(VolumeKey key, Function<NodeVolumeWorker, CompletableFuture<T>> work) {
        CompletableFuture<@Nullable Void> begun = started();
        if (!open) {
            synchronized (early) {
                if (!open) {
                    CompletableFuture<T> later = new CompletableFuture<>();
                    early.add(() -> {
                        if (later.isDone()) {
                            return () -> {};
                        }
                        CompletableFuture<T> now = given(begun, key, work);
                        return () -> Futures.follow(now, later);
                    });
                    return later;
                }
            }
        }
        return given(begun, key, work);
    }

    private <T> CompletableFuture<T> given(
            CompletableFuture<@Nullable Void> begun,
            VolumeKey key,
            Function<NodeVolumeWorker, CompletableFuture<T>> work) {
        if (begun.isCompletedExceptionally()) {
            return begun.thenCompose(
                    nothing -> CompletableFuture.failedFuture(new IllegalStateException("not started")));
        }
        try {
            return workers.give(key, work).orElseGet(() -> CompletableFuture.failedFuture(Shutdown.stopped()));
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(end.noExecutor(e));
        }
    }
}
