package io.csi4j.client.registry;

import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.client.registry.internal.connection.RegistryEnvironment;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.spi.Cancellable;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A caller's request to be notified when a plugin can be called. */
final class HealthyWait {
    /**
     * The longest wait: about 100 years, which a timer can still count in nanoseconds. A longer timeout is shortened to
     * this time.
     */
    private static final Duration LONGEST = Duration.ofDays(36_500);

    private final PluginRole role;
    private final PluginId pluginId;
    private final Duration timeout;
    private final RegistryEnvironment environment;
    private final CompletableFuture<RegisteredPlugin> future = new CompletableFuture<>();

    HealthyWait(PluginRole role, PluginId pluginId, Duration timeout, RegistryEnvironment environment) {
        this.role = role;
        this.pluginId = pluginId;
        this.timeout = timeout;
        this.environment = environment;
    }

    /**
     * Starts the timer.
     *
     * @param ended runs when the wait has ended for any reason
     */
    CompletableFuture<RegisteredPlugin> begin(PluginRegistry registry, Runnable ended) {
        Duration wait = timeout.compareTo(LONGEST) < 0 ? timeout : LONGEST;
        Cancellable timer = environment.schedule(wait, () -> end(() -> timeOut(registry.snapshot())), this::close);
        var unused = future.whenComplete((plugin, failure) -> {
            timer.cancel();
            ended.run();
        });
        return future;
    }

    /**
     * Completes the future at the timeout. If an instance is ready now, the future gets it, so a timeout of zero can
     * succeed; otherwise the future fails.
     */
    private void timeOut(RegistrySnapshot snapshot) {
        snapshot.leader(role, pluginId)
                .ifPresentOrElse(
                        future::complete,
                        () -> future.completeExceptionally(
                                PluginNotReadyException.after(timeout, role, pluginId, snapshot)));
    }

    void check(RegistrySnapshot snapshot) {
        Optional<RegisteredPlugin> leader = future.isDone() ? Optional.empty() : snapshot.leader(role, pluginId);
        leader.ifPresent(plugin -> end(() -> future.complete(plugin)));
    }

    void close() {
        end(() -> future.completeExceptionally(PluginNotReadyException.closed(role, pluginId)));
    }

    /** Completes the future on the executor, because a callback may block. */
    private void end(Runnable completion) {
        environment.complete(completion);
    }
}
