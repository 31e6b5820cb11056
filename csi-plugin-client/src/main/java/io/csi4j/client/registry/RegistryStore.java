package io.csi4j.client.registry;

import io.csi4j.client.registry.instance.StoredPlugins;
import io.csi4j.client.registry.internal.connection.RegistryEnvironment;
import io.csi4j.core.internal.concurrent.SerialExecutor;
import io.csi4j.core.internal.log.CauseLog;
import java.lang.System.Logger;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * Writes the instances to the store: one save at a time, each with the newest instances. A failed save is retried; the callers that wait
 * for it get the failure at once.
 */
final class RegistryStore {
    private static final Logger LOG = System.getLogger(RegistryStore.class.getName());
    private static final Duration RETRY = Duration.ofSeconds(5);

    private final PluginStateStore store;
    private final Supplier<Kept> newest;
    private final RegistryEnvironment environment;
    private final SerialExecutor saves;
    private final CauseLog causes;
    /**
     * Whether a save is queued and has not begun. If so, a change of the list needs no further save, because the save
     * reads the list when it begins.
     */
    private final AtomicBoolean requested = new AtomicBoolean();

    private final Queue<Waiting> waiting = new ConcurrentLinkedQueue<>();
    private volatile long saved;
    private volatile boolean closed;

    /** One version of the list of instances. */
    record Kept(long version, StoredPlugins plugins) {}

    private record Waiting(long version, CompletableFuture<Void> future) {}

    /** Creates the writer for a store that already has version {@code saved} of the list. */
    RegistryStore(PluginStateStore store, Supplier<Kept> newest, RegistryEnvironment environment, long saved) {
        this.saved = saved;
        this.store = store;
        this.newest = newest;
        this.environment = environment;
        this.saves = environment.serialExecutor();
        this.causes = new CauseLog(LOG, environment.clock());
    }

    /** Returns a future that completes when {@code version} or a later version is saved, and fails if the save failed. */
    CompletableFuture<Void> keep(long version) {
        if (version <= saved) {
            return CompletableFuture.completedFuture(null);
        }
        CompletableFuture<Void> future = new CompletableFuture<>();
        waiting.add(new Waiting(version, future));
        request();
        return future;
    }

    private void request() {
        if (requested.compareAndSet(false, true)) {
            environment.execute(saves, this::save, this::refuse);
        }
    }

    private void retry() {
        // Does not retry after close, because the next registry may use the same store with a newer list.
        if (!closed) {
            request();
        }
    }

    /** Ends the retries of failed saves. */
    void close() {
        closed = true;
    }

    private void save() {
        // Resets the flag before the list is read, so that a change after the reading requests another save.
        requested.set(false);
        Kept kept = newest.get();
        if (kept.version() <= saved) {
            // Skips a save that changes nothing, because the next registry may already use the same store.
            complete(kept.version(), future -> future.complete(null));
            return;
        }
        try {
            store.save(kept.plugins());
        } catch (RuntimeException | Error failed) {
            causes.warn(
                    failed.getClass().getName(),
                    "The list of this node's plugins was not saved, and is saved again soon: " + failed.getMessage());
            if (!closed) {
                var unused = environment.schedule(RETRY, this::retry, () -> {});
            }
            complete(kept.version(), future -> future.completeExceptionally(failed));
            return;
        }
        causes.overAll();
        saved = kept.version();
        complete(kept.version(), future -> future.complete(null));
    }

    private void refuse() {
        requested.set(false);
        complete(
                Long.MAX_VALUE,
                future -> future.completeExceptionally(new PluginStoreException(
                        "the plugins of this node were not kept: the registry is closed, or its environment rejects"
                                + " tasks; close the environment after the registry",
                        null)));
    }

    private void complete(long version, Consumer<CompletableFuture<Void>> end) {
        for (Waiting each : List.copyOf(waiting)) {
            if (each.version() <= version && waiting.remove(each)) {
                // Completes the future on the executor, because a callback of the future may block.
                environment.complete(() -> end.accept(each.future()));
            }
        }
    }
}
