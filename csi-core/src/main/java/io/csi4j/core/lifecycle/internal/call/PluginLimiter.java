package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.LifecycleOptions;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;

/**
 * Has one {@link AdaptiveLimiter} for each plugin, so that a hung plugin delays no other plugin. A waiting call needs a
 * queue entry and no thread.
 */
public final class PluginLimiter implements CallLimiter {
    private final ConcurrentMap<PluginId, AdaptiveLimiter> limiters = new ConcurrentHashMap<>();
    private final LifecycleOptions options;
    private final Executor executor;

    public PluginLimiter(LifecycleOptions options, Executor executor) {
        this.options = Objects.requireNonNull(options, "options");
        this.executor = Objects.requireNonNull(executor, "executor");
    }

    @Override
    public CompletableFuture<CallPermit> acquire(PluginId plugin, CallKind kind) {
        return of(plugin).acquire(kind);
    }

    public AdaptiveLimiter of(PluginId plugin) {
        return limiters.computeIfAbsent(plugin, id -> new AdaptiveLimiter(options.callsInFlight(id), executor));
    }
}
