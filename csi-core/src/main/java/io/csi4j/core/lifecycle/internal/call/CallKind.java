package io.csi4j.core.lifecycle.internal.call;

/** What a call is for. Each kind has its own share of a plugin, so that none starves another (N7). */
public enum CallKind {
    /** ControllerPublishVolume: somebody waits to start. */
    PUBLISH,
    /** ControllerUnpublishVolume, or a node's part of it: somebody may wait for the release. */
    UNPUBLISH,
    /** All others. */
    OTHER
}
