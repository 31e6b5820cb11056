package io.csi4j.simulation.internal.world;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.state.StateReader;
import java.util.HashSet;
import java.util.Set;

/**
 * Checks that an instance that has never answered is listed, counts in nothing as an instance, and is not called.
 * The plugins say here which instances have answered; the state and the engine know it from reports only.
 */
public final class ProvedInstances {
    private final SimWorld world;
    private final Set<InstanceKey> answered = new HashSet<>();

    ProvedInstances(SimWorld world) {
        this.world = world;
    }

    /** Records that an instance has answered. */
    public void answered(InstanceKey instance) {
        answered.add(instance);
    }

    /** Checks the state after a report of a node's instances. */
    void reported(PluginCommand.FingerprintNode report, StateReader after) {
        for (PluginInstance instance : report.instances()) {
            InstanceKey key = instance.key();
            if (!answered.contains(key)) {
                PluginView plugin = after.plugin(key.pluginId());
                if (has(plugin.instances(), key) || has(after.instancesOn(key.nodeId(), key.pluginId()), key)) {
                    world.reportViolation("S37: " + key + " has never answered, and counts as an instance");
                } else if (!has(plugin.unproved(), key)) {
                    world.reportViolation("S37: " + key + " is registered, and not listed as unproved");
                }
            }
        }
    }

    private static boolean has(Iterable<PluginInstance> instances, InstanceKey key) {
        for (PluginInstance instance : instances) {
            if (instance.key().equals(key)) {
                return true;
            }
        }
        return false;
    }

    /** Checks a call of a server. */
    public void called(Rpc rpc, InstanceKey instance) {
        if (!answered.contains(instance)) {
            world.reportViolation("S37: " + rpc.csiName() + " is sent to " + instance + ", which has never answered");
        }
    }
}
