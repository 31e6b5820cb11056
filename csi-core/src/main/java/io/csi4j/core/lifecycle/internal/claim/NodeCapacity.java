package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.internal.call.Failures;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.step.PluginOnNode;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.state.StateReader;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Asks the plugin for a node's current volume limit when the plugin refuses a volume because the node is full; the
 * stored limit may be outdated. The new limit reaches the state in the node's next fingerprint, and not through this
 * class.
 *
 * <p>For each plugin and node, at most one query is in flight, and an interval has to pass before the next one. All
 * refusals within the interval together cause one query at its end. A query with a lost response is not retried: if the
 * node is still full, the next refusal causes another query. Thread-safe.
 */
public final class NodeCapacity {
    private final Operations operations;
    private final Function<PluginOnNode, CompletableFuture<Void>> query;
    private final BooleanSupplier leading;
    private final CapacityWaiters volumes;
    /** The current queries. An entry stays while its query is in flight and during the interval after the query. */
    private final Map<PluginOnNode, Asked> asked = new HashMap<>();

    /** The query for one plugin on one node. Guarded by {@code asked}. */
    private static final class Asked {
        /** Whether another refusal came after the query began. */
        private boolean again;
        /** The timer of the interval after the query; null while the query is in flight. */
        private @Nullable Cancellable rest;
    }

    /**
     * Creates an object without queries.
     *
     * @param query asks a plugin for the limit on a node
     */
    public NodeCapacity(
            Operations operations,
            Function<PluginOnNode, CompletableFuture<Void>> query,
            BooleanSupplier leading,
            CapacityWaiters volumes) {
        this.operations = operations;
        this.query = query;
        this.leading = leading;
        this.volumes = volumes;
    }

    /** Handles the failure to publish a volume to the node: asks for the node's limit if the node is full. */
    public void refused(PluginOnNode pluginOnNode, VolumeKey key, Throwable failure) {
        if (Failures.code(failure) != StatusCode.RESOURCE_EXHAUSTED || !leading.getAsBoolean()) {
            return;
        }
        Asked now = new Asked();
        StateReader state = operations.state();
        synchronized (asked) {
            // This method and stop() use the same lock. If stop() ran before, this method returns here. If stop() runs
            // later, it finds the new entry.
            if (!leading.getAsBoolean()) {
                return;
            }
            volumes.refused(state, pluginOnNode, key);
            Asked before = asked.putIfAbsent(pluginOnNode, now);
            if (before != null) {
                before.again = true;
                return;
            }
        }
        ask(pluginOnNode, now);
    }

    private void ask(PluginOnNode pluginOnNode, Asked now) {
        var unused = query.apply(pluginOnNode).whenComplete((done, failure) -> {
            synchronized (asked) {
                if (leading.getAsBoolean()) {
                    now.rest = operations
                            .ports()
                            .timer()
                            .schedule(
                                    operations.ports().options().nodeInfoSpacing(),
                                    () -> operations
                                            .ports()
                                            .executor()
                                            .execute(() -> intervalEnded(pluginOnNode, now)));
                } else {
                    asked.remove(pluginOnNode);
                }
            }
        });
    }

    private void intervalEnded(PluginOnNode pluginOnNode, Asked now) {
        volumes.forgetSettled(operations.state());
        synchronized (asked) {
            if (now.rest == null || !now.equals(asked.get(pluginOnNode))) {
                return;
            }
            now.rest = null;
            if (!now.again) {
                asked.remove(pluginOnNode);
                return;
            }
            now.again = false;
        }
        ask(pluginOnNode, now);
    }

    /** Stops the queries because this engine no longer leads. Queries in flight are remembered until they end. */
    public void stop() {
        synchronized (asked) {
            asked.values().removeIf(one -> {
                Cancellable rest = one.rest;
                if (rest != null) {
                    rest.cancel();
                }
                return rest != null;
            });
            volumes.clear();
        }
    }

    /** Returns the number of queries that are in flight or whose interval has not ended. */
    public int size() {
        synchronized (asked) {
            return asked.size();
        }
    }
}
