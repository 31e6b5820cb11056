package io.csi4j.core.csi;

/** The capabilities of a node service (R42). */
public enum NodeCapability implements WireEnum {
    /** NodeStageVolume and NodeUnstageVolume. */
    STAGE_UNSTAGE_VOLUME(1),
    /** NodeGetVolumeStats. */
    GET_VOLUME_STATS(2),
    /** NodeExpandVolume. */
    EXPAND_VOLUME(3),
    /** Volume conditions, until CSI 1.12. */
    VOLUME_CONDITION(4),
    /** The access modes 6 and 7; alpha. */
    SINGLE_NODE_MULTI_WRITER(5),
    /** {@link MountVolume#volumeMountGroup()}. */
    VOLUME_MOUNT_GROUP(6),
    /** NodeGetVolumeHealth; alpha, since 1.13. */
    GET_VOLUME_HEALTH(7),
    /** NodeGetStorageHealth; alpha, since 1.13. */
    GET_STORAGE_HEALTH(8);

    private final int number;

    NodeCapability(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }
}
