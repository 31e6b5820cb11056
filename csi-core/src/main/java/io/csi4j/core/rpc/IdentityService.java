package io.csi4j.core.rpc;

import java.util.concurrent.CompletableFuture;

/**
 * Reports the name, the capabilities and the health of a plugin. Every plugin has this service (R14).
 *
 * <p>No method blocks. A call without a usable response fails its future with a
 * {@link io.csi4j.core.call.CsiCallException}, whose {@link io.csi4j.core.call.CsiCallException#outcome() outcome} says
 * how to continue. Cancelling a future only ends the wait; the plugin may still finish the work (R30). Thread-safe; at
 * most one call per volume should be in flight (R26).
 */
public interface IdentityService {
    /** Returns the plugin's name and its vendor version (R37). */
    CompletableFuture<GetPluginInfoResponse> getPluginInfo();

    /** Returns which services and general capabilities the plugin has; they are the same at every instance (R38). */
    CompletableFuture<GetPluginCapabilitiesResponse> getPluginCapabilities();

    /** Checks whether the plugin is healthy and ready (R39-R41). */
    CompletableFuture<ProbeResponse> probe();
}
