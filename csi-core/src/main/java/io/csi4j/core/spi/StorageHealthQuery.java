package io.csi4j.core.spi;

import io.csi4j.core.csi.Secrets;
import io.csi4j.core.id.PluginId;
import java.util.Objects;

/**
 * The query for the health of a plugin's storage backends.
 *
 * @param secrets the secrets that the plugin needs for the call; possibly none
 */
public record StorageHealthQuery(PluginId pluginId, Secrets secrets) {
    public StorageHealthQuery {
        Objects.requireNonNull(pluginId, "pluginId");
        Objects.requireNonNull(secrets, "secrets");
    }

    /** Creates a query without secrets. */
    public static StorageHealthQuery of(PluginId pluginId) {
        return new StorageHealthQuery(pluginId, Secrets.empty());
    }
}
