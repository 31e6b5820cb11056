package io.csi4j.core.call;

/** The five gRPC services of CSI. */
public enum RpcService {
    /** Reports the plugin's name, capabilities and health; every endpoint serves this service (R14). */
    IDENTITY("Identity"),
    /** The service for operations on volumes and snapshots that a plugin instance on any node can perform. */
    CONTROLLER("Controller"),
    /** Snapshots of several volumes at the same time (R97-R100). */
    GROUP_CONTROLLER("GroupController"),
    /** Streams of a snapshot's metadata: its allocated or changed blocks (R101-R103). */
    SNAPSHOT_METADATA("SnapshotMetadata"),
    /** The service for operations on volumes that only a plugin instance on the volume's node can perform. */
    NODE("Node");

    private final String csiName;

    RpcService(String csiName) {
        this.csiName = csiName;
    }

    /** Returns the name in CSI's spelling, for example {@code GroupController}. */
    public String csiName() {
        return csiName;
    }
}
