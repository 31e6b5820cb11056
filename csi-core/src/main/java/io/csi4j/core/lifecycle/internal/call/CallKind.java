package io.csi4j.core.lifecycle.internal.call;

/**
 * The kind of a call to a plugin. The calls of each kind wait in a queue of their own, so that no kind starves another.
 */
public enum CallKind {
    /** A ControllerPublishVolume call. A workload cannot start before this call has succeeded. */
    PUBLISH,
    /** A ControllerUnpublishVolume call or an unmount on a node. A waiting claim may depend on this call. */
    UNPUBLISH,
    /** All other calls. */
    OTHER
}
