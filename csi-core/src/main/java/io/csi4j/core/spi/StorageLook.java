package io.csi4j.core.spi;

import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.PluginId;
import java.util.Objects;

/**
 * Asks a node about the storage backends of a plugin.
 *
 * @param pluginId the plugin
 * @param secrets what the plugin needs to ask them; most need none
 */
public record StorageLook(PluginId pluginId, Secrets secrets) {
    /** Checks that all parts are there. */
    public StorageLook {
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(secrets, "secrets");
    }

    /**
     * A look that needs no secrets.
     *
     * @param pluginId the plugin
     * @return the request
     */
    public static StorageLook of(PluginId pluginId) {
        return new StorageLook(pluginId, Secrets.empty());
    }
}
