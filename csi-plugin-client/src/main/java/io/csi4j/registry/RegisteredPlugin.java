package io.csi4j.registry;

import io.csi4j.registry.instance.PluginRegistration;
import io.csi4j.registry.instance.PluginSnapshot;
import java.time.Instant;
import java.util.Objects;

/**
 * An instance in the registry, as it was at one moment.
 *
 * @param registration which instance, and where
 * @param registeredAt when it was first registered; no two are the same, and the newest leads
 * @param snapshot where it stands
 * @param connection calls it
 */
public record RegisteredPlugin(
        PluginRegistration registration, Instant registeredAt, PluginSnapshot snapshot, PluginConnection connection) {
    /** Checks that all parts are there. */
    public RegisteredPlugin {
        Objects.requireNonNull(registration, "registration");
        Objects.requireNonNull(registeredAt, "registeredAt");
        Objects.requireNonNull(snapshot, "snapshot");
        Objects.requireNonNull(connection, "connection");
    }

    /** A short form for messages. */
    @Override
    public String toString() {
        return "RegisteredPlugin[" + snapshot.summary() + "]";
    }
}
