package io.csi4j.core.lifecycle.internal.call;

/** The purpose of a call. Each kind has its own queue for a plugin, so that no kind starves another. */
public enum CallKind {
    /** ControllerPublishVolume: a workload waits to start. */
    PUBLISH,
    /** ControllerUnpublishVolume, or the node step of a release: a waiting claim may depend on it. */
    UNPUBLISH,
    /** All other calls. */
    OTHER
}
