package io.csi4j.core.plugin;

/** Whether a plugin's volumes have to be published by its controller (S28). */
public enum ControllerNeed {
    /** It has a controller, and the controller attaches. */
    REQUIRED,
    /** It said that it has no controller, or that its controller does not attach. */
    NOT_REQUIRED,
    /** It never said; that is not the same as "not required" (I8). */
    UNKNOWN
}
