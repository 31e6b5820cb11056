package io.csi4j.core.plugin;

/** The services that a plugin instance serves (R13). */
public enum PluginType {
    /** The instance serves the controller service. */
    CONTROLLER,
    /** The instance serves the node service. */
    NODE,
    /** The instance serves both the controller service and the node service. */
    MONOLITH;

    /** Returns whether an instance of this type serves the controller service: true for CONTROLLER and MONOLITH. */
    public boolean servesController() {
        return this != NODE;
    }

    /** Returns whether an instance of this type serves the node service: true for NODE and MONOLITH. */
    public boolean servesNode() {
        return this != CONTROLLER;
    }
}
