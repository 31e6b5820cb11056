package io.csi4j.core.plugin;

/** Whether volumes of a plugin need a call to the plugin's controller, for example to be published. */
public enum ControllerNeed {
    /** The plugin has a controller with the capability. */
    REQUIRED,
    /** The plugin reported that it has no controller, or that its controller lacks the capability. */
    NOT_REQUIRED,
    /** The plugin has not reported its capabilities yet, so the controller may be required. */
    UNKNOWN
}
