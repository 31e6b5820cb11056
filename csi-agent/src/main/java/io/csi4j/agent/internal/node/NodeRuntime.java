package io.csi4j.agent.internal.node;

import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.client.registry.PluginSupervisor;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.node.VolumeMounter;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The running plugins and volumes of a node, without a connection to servers.
 *
 * @param registry the plugins
 * @param supervisor supervises the plugins' tasks
 * @param taskDirectories creates the directories of the plugins' tasks
 * @param volumes the mounter of the volumes, already started
 * @param pluginChanges notifies the volumes of changed plugins
 */
public record NodeRuntime(
        PluginRegistry registry,
        PluginSupervisor supervisor,
        TaskDirectories taskDirectories,
        VolumeMounter volumes,
        Cancellable pluginChanges) {
    private static final Duration STOP_LIMIT = Duration.ofSeconds(10);

    /**
     * Stops the supervision of plugins and the work on volumes; the plugins continue to run, and volumes stay mounted.
     *
     * @return completes when the last write to the directory has ended
     */
    public CompletableFuture<@Nullable Void> close() {
        pluginChanges.cancel();
        supervisor.close();
        registry.close();
        return volumes.stop();
    }

    /**
     * Stops these plugins and volumes after the start of the node has failed. When this method returns, another start
     * can use the directory. If the stop fails, its exception is added to {@code unstarted} as suppressed.
     */
    public void abandon(Exception unstarted) {
        awaitStop(close(), unstarted);
    }

    /**
     * Waits until a part of the node has stopped after a failed start. If the stop fails, its exception is added to
     * {@code unstarted}, the exception of the start.
     */
    public static void awaitStop(CompletableFuture<?> stopped, Exception unstarted) {
        try {
            stopped.get(STOP_LIMIT.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (ExecutionException | TimeoutException e) {
            unstarted.addSuppressed(e);
        }
    }
}
