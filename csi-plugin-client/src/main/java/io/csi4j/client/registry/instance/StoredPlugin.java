package io.csi4j.client.registry.instance;

import java.time.Instant;
import java.util.Objects;

/**
 * The stored data of an instance.
 *
 * @param registration the instance and its socket
 * @param registeredAt the time of its first registration
 */
public record StoredPlugin(PluginRegistration registration, Instant registeredAt) {
    public StoredPlugin {
        Objects.requireNonNull(registration, "registration");
        Objects.requireNonNull(registeredAt, "registeredAt");
    }
}
