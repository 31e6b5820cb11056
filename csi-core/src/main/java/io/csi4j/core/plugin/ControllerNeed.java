package io.csi4j.core.plugin;

/** Says whether a step for a plugin's volumes, such as publishing, needs a call to the plugin's controller. */
public enum ControllerNeed {
    /** The plugin has a controller with the capability for the step, so the controller has to be called. */
    REQUIRED,
    /** The plugin reported that it has no controller, or that its controller lacks the capability. */
    NOT_REQUIRED,
    /** The plugin has not reported its capabilities yet, so the controller may be required. */
    UNKNOWN
}
