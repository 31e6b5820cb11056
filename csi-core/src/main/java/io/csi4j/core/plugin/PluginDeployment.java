package io.csi4j.core.plugin;

import io.csi4j.core.id.DeploymentId;
import io.csi4j.core.id.PluginId;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The plugins that a deployment (a job, a daemon set) is meant to run. An update replaces the whole map; a plugin that
 * is missing in it is not expected any more.
 *
 * @param expected the expected instances of each plugin, in plugin order
 */
public record PluginDeployment(DeploymentId id, SortedMap<PluginId, ExpectedInstances> expected) {
    public PluginDeployment {
        Objects.requireNonNull(id, "id");
        expected = Collections.unmodifiableSortedMap(new TreeMap<>(expected));
    }

    /**
     * Creates a deployment with a copy of the map.
     *
     * @param expected the expected instances of each plugin
     */
    public static PluginDeployment of(DeploymentId id, Map<PluginId, ExpectedInstances> expected) {
        return new PluginDeployment(id, new TreeMap<>(expected));
    }

    /** Returns the expected instances of a plugin; both counts are 0 if the deployment does not run it. */
    public ExpectedInstances expectedOf(PluginId pluginId) {
        return expected.getOrDefault(pluginId, new ExpectedInstances(0, 0));
    }
}
