package io.csi4j.registry;

import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * What the host has to do for a plugin's task before it starts it.
 *
 * @param environment variables to set (R1)
 * @param mounts directories to mount into the task
 * @param registration how the instance is registered
 */
public record TaskSetup(Map<String, String> environment, List<TaskMount> mounts, PluginRegistration registration) {
    /** Copies the collections. */
    public TaskSetup {
        environment = Map.copyOf(environment);
        mounts = List.copyOf(mounts);
        Objects.requireNonNull(registration, "registration");
    }
}
