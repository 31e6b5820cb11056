package io.csi4j.registry.instance;

import io.csi4j.core.plugin.PluginType;

/** A service that an instance of a plugin serves; a monolith serves both (R13). */
public enum PluginRole {
    /** The controller service. */
    CONTROLLER,
    /** The node service. */
    NODE;

    /**
     * Whether instances of a type are meant to serve this.
     *
     * @param type the type of an instance
     * @return true if so
     */
    public boolean servedBy(PluginType type) {
        return this == CONTROLLER ? type.servesController() : type.servesNode();
    }
}
