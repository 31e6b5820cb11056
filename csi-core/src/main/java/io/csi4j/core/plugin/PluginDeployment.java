package io.csi4j.core.plugin;

import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.PluginId;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What a deployment (a job, a daemon set) is meant to run: all its plugins at once, so that a plugin it no longer
 * names is forgotten with the next change.
 *
 * @param expected how many instances of which plugin, in plugin order
 */
public record PluginDeployment(DeploymentId id, SortedMap<PluginId, ExpectedInstances> expected) {
    public PluginDeployment {
        Objects.requireNonNull(id, "id");
        expected = Collections.unmodifiableSortedMap(new TreeMap<>(expected));
    }

    /**
     * A deployment with the given expectations.
     *
     * @param expected how many instances of which plugin
     * @return the value
     */
    public static PluginDeployment of(DeploymentId id, Map<PluginId, ExpectedInstances> expected) {
        return new PluginDeployment(id, new TreeMap<>(expected));
    }

    /**
     * How many instances of a plugin it is meant to run.
     *
     * @return zeros where it does not name the plugin
     */
    public ExpectedInstances expectedOf(PluginId pluginId) {
        return expected.getOrDefault(pluginId, new ExpectedInstances(0, 0));
    }
}
