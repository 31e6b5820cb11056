package io.csi4j.client.registry;

import io.csi4j.client.CsiClient;
import io.csi4j.client.registry.instance.PluginRegistration;

/** Changes the settings of the clients of plugin instances. Thread-safe. */
@FunctionalInterface
public interface ClientSettings {
    /**
     * Changes the settings of an instance's client, for example its rules, deadlines or observer.
     *
     * @param instance the instance and its socket
     * @param client the builder with defaults; it already has the plugin's id as its name, and the instance's capabilities (R42)
     * @return the same builder
     */
    CsiClient.Builder apply(PluginRegistration instance, CsiClient.Builder client);

    /** Returns settings that change nothing. */
    static ClientSettings defaults() {
        return (instance, client) -> client;
    }
}
