package io.csi4j.agent.internal.node;

import io.csi4j.client.CsiClient;
import io.csi4j.client.registry.PluginConnection;
import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.client.registry.RegisteredPlugin;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.plugin.InstanceKey;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Calls controller plugins of this node on behalf of the servers. */
public final class ControllerCalls {
    private ControllerCalls() {}

    /**
     * Calls the controller service of a plugin instance. If the plugin is unreachable, the registry probes it.
     *
     * @param call makes the call
     * @param unavailable returns the failed result if the plugin cannot be called now; its argument is the reason,
     *     which may contain a text of the plugin
     */
    public static <R> CompletableFuture<R> call(
            PluginRegistry registry,
            InstanceKey key,
            Function<CsiClient, CompletableFuture<R>> call,
            Function<String, CompletableFuture<R>> unavailable) {
        Optional<RegisteredPlugin> plugin = registry.snapshot().instance(key);
        if (plugin.isEmpty()) {
            return unavailable.apply("there is no " + key + ", or no longer");
        }
        if (!plugin.get().snapshot().serves(PluginRole.CONTROLLER)) {
            String reason = plugin.get().snapshot().description();
            return unavailable.apply(
                    key + " is not ready to serve as a controller" + (reason.isEmpty() ? "" : ": " + reason));
        }
        PluginConnection connection = plugin.get().connection();
        CompletableFuture<R> made = call.apply(connection.client());
        var unused = made.whenComplete((answer, failure) -> {
            if (failure != null && unreachable(Futures.unwrap(failure))) {
                connection.suspect();
            }
        });
        return made;
    }

    private static boolean unreachable(Throwable failure) {
        return failure instanceof CsiCallException call && call.code() == StatusCode.UNAVAILABLE;
    }
}
