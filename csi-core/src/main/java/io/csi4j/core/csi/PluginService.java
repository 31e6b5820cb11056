package io.csi4j.core.csi;

/** The services and general capabilities of a plugin (R42). */
public enum PluginService implements WireEnum {
    /** The plugin has the Controller service. */
    CONTROLLER_SERVICE(1),
    /** Some volumes may not be accessible from every node, so the topology of volumes and nodes matters. */
    VOLUME_ACCESSIBILITY_CONSTRAINTS(2),
    /** The plugin has the GroupController service. */
    GROUP_CONTROLLER_SERVICE(3),
    /** The plugin has the SnapshotMetadata service; alpha. */
    SNAPSHOT_METADATA_SERVICE(4),
    /** Some snapshots may not be accessible from everywhere; alpha, since CSI 1.13. */
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
