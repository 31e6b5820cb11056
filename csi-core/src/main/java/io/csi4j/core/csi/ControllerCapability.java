package io.csi4j.core.csi;

/** The capabilities of a controller service (R42). */
public enum ControllerCapability implements WireEnum {
    /** CreateVolume and DeleteVolume. */
    CREATE_DELETE_VOLUME(1),
    /** ControllerPublishVolume and ControllerUnpublishVolume. */
    PUBLISH_UNPUBLISH_VOLUME(2),
    /** ListVolumes. */
    LIST_VOLUMES(3),
    /** GetCapacity. */
    GET_CAPACITY(4),
    /** CreateSnapshot and DeleteSnapshot, and snapshots as the source of a volume. */
    CREATE_DELETE_SNAPSHOT(5),
    /** ListSnapshots. */
    LIST_SNAPSHOTS(6),
    /** Volumes as the source of a new volume. */
    CLONE_VOLUME(7),
    /** ControllerPublishVolume with {@code readonly}. */
    PUBLISH_READONLY(8),
    /** ControllerExpandVolume. */
    EXPAND_VOLUME(9),
    /** ListVolumes returns the nodes of each volume. */
    LIST_VOLUMES_PUBLISHED_NODES(10),
    /** Volume conditions, until CSI 1.12. */
    VOLUME_CONDITION(11),
    /** ControllerGetVolume; alpha. */
    GET_VOLUME(12),
    /** The access modes 6 and 7; alpha. */
    SINGLE_NODE_MULTI_WRITER(13),
    /** ControllerModifyVolume, and mutable parameters at creation. */
    MODIFY_VOLUME(14),
    /** GetSnapshot; alpha. */
    GET_SNAPSHOT(15),
    /** ControllerGetVolumeHealth; alpha, since 1.13. */
    GET_VOLUME_HEALTH(16),
    /** ControllerListVolumeHealth; alpha, since 1.13. */
    LIST_VOLUME_HEALTH(17);

    private final int number;

    ControllerCapability(int number) {
        this.number = number;
    }

    @Override
    public int number() {
        return number;
    }
}
