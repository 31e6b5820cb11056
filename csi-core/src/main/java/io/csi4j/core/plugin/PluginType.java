package io.csi4j.core.plugin;

/** Which services an instance of a plugin serves (R13). */
public enum PluginType {
    /** The controller service. */
    CONTROLLER,
    /** The node service. */
    NODE,
    /** Both. */
    MONOLITH;

    /**
     * Whether such an instance serves the controller service.
     *
     * @return true for CONTROLLER and MONOLITH
     */
    public boolean servesController() {
        return this != NODE;
    }

    /**
     * Whether such an instance serves the node service.
     *
     * @return true for NODE and MONOLITH
     */
    public boolean servesNode() {
        return this != CONTROLLER;
    }
}
