package io.csi4j.registry;

import io.csi4j.client.CsiClient;
import io.csi4j.registry.instance.PluginRegistration;

/** How single instances of plugins are called. Safe for use by many threads. */
@FunctionalInterface
public interface ClientSettings {
    /**
     * Changes the settings of the client of an instance, for example its rules, its deadlines or its observer.
     *
     * @param instance which instance, and where
     * @param client has the defaults, calls the plugin by its id in messages and metrics, and knows at every call what
     *     the instance has announced (R42)
     * @return the same builder
     */
    CsiClient.Builder apply(PluginRegistration instance, CsiClient.Builder client);

    /**
     * The same for all instances, and as it comes.
     *
     * @return changes nothing
     */
    static ClientSettings defaults() {
        return (instance, client) -> client;
    }
}
