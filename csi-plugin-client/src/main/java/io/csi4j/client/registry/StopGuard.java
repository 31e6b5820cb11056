package io.csi4j.client.registry;

import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import java.lang.System.Logger;
import java.util.List;
import java.util.Optional;

/**
 * Refuses or logs the stop of a plugin that volumes need.
 *
 * @param use finds the volumes that need a plugin
 * @param policy the policy
 */
record StopGuard(PluginUse use, StopPolicy policy) {
    private static final Logger LOG = System.getLogger(PluginRegistry.class.getName());

    /** Returns the exception for an instance that must not be stopped; empty if it may be stopped, perhaps with a warning in the log. */
    Optional<PluginInUseException> objection(RegistrySnapshot snapshot, InstanceKey key) {
        if (policy == StopPolicy.WARN) {
            goes(snapshot, key);
            return Optional.empty();
        }
        try {
            List<VolumeKey> needing = needing(snapshot, key);
            return needing.isEmpty() ? Optional.empty() : Optional.of(new PluginInUseException(key, needing));
        } catch (RuntimeException | Error unknown) {
            return Optional.of(new PluginInUseException(key, unknown));
        }
    }

    /**
     * Logs a warning with the volumes that need an instance. Used if the instance may be stopped although volumes need
     * it.
     */
    void goes(RegistrySnapshot snapshot, InstanceKey key) {
        try {
            List<VolumeKey> needing = needing(snapshot, key);
            if (!needing.isEmpty()) {
                warn(key, needing);
            }
        } catch (RuntimeException | Error unknown) {
            LOG.log(
                    Logger.Level.WARNING,
                    "Plugin instance " + key + " goes, and it is not known which volumes need it",
                    unknown);
        }
    }

    private static void warn(InstanceKey key, List<VolumeKey> needing) {
        LOG.log(Logger.Level.WARNING, "A plugin goes that volumes need: " + PluginInUseException.message(key, needing));
    }

    /** Returns the volumes that need an instance; none if another instance of the plugin is ready. */
    private List<VolumeKey> needing(RegistrySnapshot snapshot, InstanceKey key) {
        PluginId pluginId = key.pluginId();
        boolean serves = snapshot.instance(key).isPresent() && PluginRole.NODE.servedBy(key.type());
        boolean others = snapshot.instances(PluginRole.NODE, pluginId).stream()
                .filter(each -> !each.registration().key().equals(key))
                .anyMatch(each -> each.snapshot().serves(PluginRole.NODE));
        return serves && !others ? use.volumes(pluginId) : List.of();
    }
}
