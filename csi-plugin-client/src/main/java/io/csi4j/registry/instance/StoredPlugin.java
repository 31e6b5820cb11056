package io.csi4j.registry.instance;

import java.time.Instant;
import java.util.Objects;

/**
 * What is kept of an instance over a restart of the host.
 *
 * @param registration which instance, and where
 * @param registeredAt when it was first registered
 */
public record StoredPlugin(PluginRegistration registration, Instant registeredAt) {
    /** Checks that both parts are there. */
    public StoredPlugin {
        Objects.requireNonNull(registration, "registration");
        Objects.requireNonNull(registeredAt, "registeredAt");
    }
}
