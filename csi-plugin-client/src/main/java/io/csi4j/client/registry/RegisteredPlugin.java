package io.csi4j.client.registry;

import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.PluginSnapshot;
import java.time.Instant;
import java.util.Objects;

/**
 * The state of a registered instance at one time.
 *
 * @param registration the instance and its socket
 * @param registeredAt the time of its first registration, different for each instance. Of the ready instances of a
 *     plugin, the one with the latest time is the leader
 * @param snapshot the state of the instance
 * @param connection the connection to the instance
 */
public record RegisteredPlugin(
        PluginRegistration registration, Instant registeredAt, PluginSnapshot snapshot, PluginConnection connection) {
    public RegisteredPlugin {
        Objects.requireNonNull(registration, "registration");
        Objects.requireNonNull(registeredAt, "registeredAt");
        Objects.requireNonNull(snapshot, "snapshot");
        Objects.requireNonNull(connection, "connection");
    }

    /** Returns a short text about the instance for messages. */
    @Override
    public String toString() {
        return "RegisteredPlugin[" + snapshot.summary() + "]";
    }
}
