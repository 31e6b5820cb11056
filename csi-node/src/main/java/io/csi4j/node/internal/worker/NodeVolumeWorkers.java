package io.csi4j.node.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountInspector;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The workers of all volumes of the node. Requests that arrive before the records were read wait, and are passed to the workers in their
 * order. After {@link #shut} no worker is added, even by a concurrent thread.
 */
public final class NodeVolumeWorkers {
    private final NodePorts ports;
    private final MountInspector inspector;
    private final Map<VolumeKey, NodeVolumeWorker> workers = new ConcurrentHashMap<>();
    /**
     * Guards the closing: {@link #shut} holds the write lock, and a thread that adds a worker holds the read lock, both
     * only for a short time.
     */
    private final ReadWriteLock door = new ReentrantReadWriteLock();

    private boolean shut;

    private final AtomicReference<@Nullable CompletableFuture<@Nullable Void>> started = new AtomicReference<>();
    /**
     * Requests that arrived during the start, in order. Each supplier passes a request to the workers and returns the task that completes
     * the caller's future. Guarded by the lock of this queue.
     */
    private final Deque<Supplier<Runnable>> early = new ArrayDeque<>();

    /** True when all early requests were passed to the workers. */
    private volatile boolean open;

    /** Completes after all early requests were passed to the workers, so that no later request overtakes them. */
    private final CompletableFuture<@Nullable Void> ready = new CompletableFuture<>();

    /** Creates an object without workers that keeps all requests until the start has ended. */
    public NodeVolumeWorkers(NodePorts ports, MountInspector inspector) {
        this.ports = ports;
        this.inspector = inspector;
    }

    // ---- the start

    /** Adds a worker for each recorded volume. Returns false, without adding any worker, after {@link #shut}. */
    public boolean open(Collection<VolumeEntry> records) {
        door.readLock().lock();
        try {
            if (!shut) {
                records.forEach(entry -> workers.put(entry.key(), make(entry)));
            }
            return !shut;
        } finally {
            door.readLock().unlock();
        }
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
            Queue<Runnable> toReport = letIn();
            if (error != null) {
                toReport.add(() -> ready.completeExceptionally(error));
            }
            WorkerTasks.runAll(toReport, ports.executor());
        });
        return begun;
    }

    /** Completes {@link #ready} after a successful start. Callbacks of callers run in this method and may block. */
    public void reportReady() {
        ready.complete(null);
    }

    private Queue<Runnable> letIn() {
        Queue<Runnable> toReport = new ConcurrentLinkedQueue<>();
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

    // ---- requests

    /**
     * Passes a request to the worker of a volume, and creates the worker if necessary. During the start the request waits.
     *
     * @return fails if the start has failed, after {@link #shut}, or if the executor takes no more work
     * @throws IllegalStateException if {@link #start} was not called
     */
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
            return give(key, work).orElseGet(() -> CompletableFuture.failedFuture(Shutdown.stopped()));
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(Shutdown.noExecutor(ports, e));
        }
    }

    /** Passes work to the worker of a volume, and creates the worker if necessary. Returns empty after {@link #shut}. */
    <T> Optional<T> give(VolumeKey key, Function<NodeVolumeWorker, T> work) {
        AtomicReference<@Nullable T> given = new AtomicReference<>();
        door.readLock().lock();
        try {
            if (shut) {
                return Optional.empty();
            }
            // The work is passed while the map locks the key, so that the worker cannot be removed before it gets the
            // work.
            workers.compute(key, (name, found) -> {
                NodeVolumeWorker worker = found == null ? make(VolumeEntry.empty(name, false)) : found;
                given.set(work.apply(worker));
                return worker;
            });
        } finally {
            door.readLock().unlock();
        }
        return Optional.ofNullable(given.get());
    }

    private NodeVolumeWorker make(VolumeEntry entry) {
        return new NodeVolumeWorker(entry, ports, inspector, this::retire);
    }

    /** Removes a worker that has nothing to do. Returns false if a request arrived in the meantime. */
    private boolean retire(NodeVolumeWorker worker) {
        return workers.computeIfPresent(
                        worker.key, (key, found) -> found.equals(worker) && worker.removable() ? null : found)
                == null;
    }

    public Optional<NodeVolumeWorker> of(VolumeKey key) {
        return Optional.ofNullable(workers.get(key));
    }

    public Collection<NodeVolumeWorker> all() {
        return workers.values();
    }

    /** Ensures that no worker is added any more. The existing workers continue. */
    void shut() {
        door.writeLock().lock();
        try {
            shut = true;
        } finally {
            door.writeLock().unlock();
        }
    }

    /** Returns all workers. After {@link #shut}, this list stays the same. */
    List<NodeVolumeWorker> inside() {
        return List.copyOf(workers.values());
    }
}
