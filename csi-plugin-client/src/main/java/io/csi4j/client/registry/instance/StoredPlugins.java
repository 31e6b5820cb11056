package io.csi4j.client.registry.instance;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The stored list of instances.
 *
 * @param plugins the instances, newest first
 * @param problem the reason why instances may be missing, for operators; empty: the list is complete
 */
public record StoredPlugins(List<StoredPlugin> plugins, Optional<String> problem) {
    /** Copies the list of instances. */
    public StoredPlugins {
        plugins = List.copyOf(plugins);
        Objects.requireNonNull(problem, "problem");
    }

    /**
     * Returns a complete list.
     *
     * @param plugins the instances, newest first
     */
    public static StoredPlugins all(List<StoredPlugin> plugins) {
        return new StoredPlugins(plugins, Optional.empty());
    }
}
