package io.csi4j.registry;

import io.csi4j.registry.instance.PluginRegistration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * What the host has to do for a plugin's task before it starts it.
 *
 * @param environment variables to set (R1)
 * @param mounts directories to mount into the task
 * @param linuxCapabilities privileges that the task needs, as Linux calls them: CAP_SYS_ADMIN for whoever serves as a
 *     node plugin, because it mounts (R8)
 * @param registration how the instance is registered
 */
public record TaskSetup(
        Map<String, String> environment,
        List<TaskMount> mounts,
        Set<String> linuxCapabilities,
        PluginRegistration registration) {
    /** Copies the collections. */
    public TaskSetup {
        environment = Map.copyOf(environment);
        mounts = List.copyOf(mounts);
        linuxCapabilities = Set.copyOf(linuxCapabilities);
        Objects.requireNonNull(registration, "registration");
    }

    /** The endpoint at which the plugin has to listen: the variable {@code CSI_ENDPOINT} (R1). */
    public String endpoint() {
        return Objects.requireNonNull(environment.get("CSI_ENDPOINT"), "CSI_ENDPOINT");
    }
}
