package io.csi4j.client.registry;

import io.csi4j.client.registry.instance.PluginRegistration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * The steps for the host before it starts a plugin's task.
 *
 * @param environment the environment variables to set (R1)
 * @param mounts the directories to mount into the task
 * @param linuxCapabilities the Linux capabilities that the task needs: CAP_SYS_ADMIN for a node plugin, because it mounts (R8)
 * @param registration the registration of the instance
 */
public record TaskSetup(
        Map<String, String> environment,
        List<TaskMount> mounts,
        Set<String> linuxCapabilities,
        PluginRegistration registration) {
    public TaskSetup {
        environment = Map.copyOf(environment);
        mounts = List.copyOf(mounts);
        linuxCapabilities = Set.copyOf(linuxCapabilities);
        Objects.requireNonNull(registration, "registration");
    }

    /** Returns the endpoint at which the plugin has to listen: the variable {@code CSI_ENDPOINT} (R1). */
    public String endpoint() {
        return Objects.requireNonNull(environment.get("CSI_ENDPOINT"), "CSI_ENDPOINT");
    }
}
