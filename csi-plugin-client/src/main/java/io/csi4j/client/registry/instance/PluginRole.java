package io.csi4j.client.registry.instance;

import io.csi4j.core.plugin.PluginType;

/** A service of a plugin instance; an instance may serve both roles (R13). */
public enum PluginRole {
    /** The controller service. */
    CONTROLLER,
    /** The node service. */
    NODE;

    /** Returns whether instances of a type serve this role. */
    public boolean servedBy(PluginType type) {
        return this == CONTROLLER ? type.servesController() : type.servesNode();
    }
}
