package io.csi4j.client.registry;

import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.text.Durations;
import java.time.Duration;

/** Reports that no instance of a plugin was ready in time, or that the registry is closed. The caller may wait again. */
public final class PluginNotReadyException extends CsiException {
    private static final long serialVersionUID = 1L;

    private PluginNotReadyException(String message) {
        super(message);
    }

    static PluginNotReadyException after(
            Duration timeout, PluginRole role, PluginId pluginId, RegistrySnapshot snapshot) {
        StringBuilder text = new StringBuilder("plugin " + pluginId + " has not become ready as " + role + " on node "
                + snapshot.nodeId() + " within " + Durations.text(timeout) + ": ");
        var instances = snapshot.instances(role, pluginId);
        if (instances.isEmpty()) {
            text.append("no instance is registered; start one on this node");
        }
        String separator = "";
        for (RegisteredPlugin each : instances) {
            text.append(separator).append(each.snapshot().summary());
            separator = "; ";
            if (each.snapshot().ready() && !each.snapshot().serves(role)) {
                text.append(", but the plugin says that it has no controller service");
            }
        }
        return new PluginNotReadyException(text.toString());
    }

    static PluginNotReadyException closed(PluginRole role, PluginId pluginId) {
        return new PluginNotReadyException("no caller waits for plugin " + pluginId + " as " + role
                + " any more: the registry was closed, or its environment rejects tasks; wait with the next registry");
    }

    @Override
    public boolean retryable() {
        return true;
    }
}
