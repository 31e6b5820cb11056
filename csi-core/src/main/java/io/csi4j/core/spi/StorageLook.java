package io.csi4j.core.spi;

import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.PluginId;
import java.util.Objects;

/**
 * Asks a node about the storage backends of a plugin.
 *
 * @param secrets what the plugin needs to ask them; most need none
 */
public record StorageLook(PluginId pluginId, Secrets secrets) {
    public StorageLook {
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(secrets, "secrets");
    }

    /** A look that needs no secrets. */
    public static StorageLook of(PluginId pluginId) {
        return new StorageLook(pluginId, Secrets.empty());
    }
}
