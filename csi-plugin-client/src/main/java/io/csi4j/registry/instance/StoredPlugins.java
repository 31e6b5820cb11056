package io.csi4j.registry.instance;

import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What a store gave back.
 *
 * @param plugins the newest first
 * @param problem why instances may be missing, for an operator; empty: none is
 */
public record StoredPlugins(List<StoredPlugin> plugins, Optional<String> problem) {
    /** Copies the list. */
    public StoredPlugins {
        plugins = List.copyOf(plugins);
        Objects.requireNonNull(problem, "problem");
    }

    /**
     * Everything that was stored.
     *
     * @param plugins the newest first
     * @return without a problem
     */
    public static StoredPlugins all(List<StoredPlugin> plugins) {
        return new StoredPlugins(plugins, Optional.empty());
    }
}
