package io.csi4j.core.csi;

/** The services and general capabilities of a plugin (R42). */
public enum PluginService implements WireEnum {
    /** The Controller service. */
    CONTROLLER_SERVICE(1),
    /** Volumes may not be accessible from every node, so topology matters. */
    VOLUME_ACCESSIBILITY_CONSTRAINTS(2),
    /** The GroupController service. */
    GROUP_CONTROLLER_SERVICE(3),
    /** The SnapshotMetadata service; alpha. */
    SNAPSHOT_METADATA_SERVICE(4),
    /** Snapshots may not be accessible from everywhere; alpha, since 1.13. */
    SNAPSHOT_ACCESSIBILITY_CONSTRAINTS(5);

    private final int number;

    PluginService(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }
}
