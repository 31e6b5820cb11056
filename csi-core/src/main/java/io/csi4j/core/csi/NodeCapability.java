package io.csi4j.core.csi;

/** The capabilities of a node service (R42). */
public enum NodeCapability implements WireEnum {
    /** The node service has NodeStageVolume and NodeUnstageVolume. */
    STAGE_UNSTAGE_VOLUME(1),
    /** The node service has NodeGetVolumeStats. */
    GET_VOLUME_STATS(2),
    /** The node service has NodeExpandVolume. */
    EXPAND_VOLUME(3),
    /** The node service reports volume conditions; only up to CSI 1.12. */
    VOLUME_CONDITION(4),
    /** The node service supports the access modes SINGLE_NODE_SINGLE_WRITER and SINGLE_NODE_MULTI_WRITER; alpha. */
    SINGLE_NODE_MULTI_WRITER(5),
    /** The node service accepts {@link MountVolume#volumeMountGroup()}. */
    VOLUME_MOUNT_GROUP(6),
    /** The node service has NodeGetVolumeHealth; alpha, since CSI 1.13. */
    GET_VOLUME_HEALTH(7),
    /** The node service has NodeGetStorageHealth; alpha, since CSI 1.13. */
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
