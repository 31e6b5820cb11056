package io.csi4j.client.registry.instance;

/** The limit that an instance has exceeded. It is reported once for each period in which the instance is not ready. */
public enum ExceededLimit {
    /** The instance has been starting for too long. */
    START_UP,
    /** The instance was ready and has been unhealthy for too long. */
    LIVENESS
}
