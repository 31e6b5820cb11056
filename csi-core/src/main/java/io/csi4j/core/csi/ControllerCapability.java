package io.csi4j.core.csi;

/** The capabilities of a controller service (R42). */
public enum ControllerCapability implements WireEnum {
    /** The controller has CreateVolume and DeleteVolume. */
    CREATE_DELETE_VOLUME(1),
    /** The controller has ControllerPublishVolume and ControllerUnpublishVolume. */
    PUBLISH_UNPUBLISH_VOLUME(2),
    /** The controller has ListVolumes. */
    LIST_VOLUMES(3),
    /** The controller has GetCapacity. */
    GET_CAPACITY(4),
    /** The controller has CreateSnapshot and DeleteSnapshot, and can create a volume from a snapshot. */
    CREATE_DELETE_SNAPSHOT(5),
    /** The controller has ListSnapshots. */
    LIST_SNAPSHOTS(6),
    /** The controller can create a volume as a copy of another volume. */
    CLONE_VOLUME(7),
    /** ControllerPublishVolume accepts {@code readonly}. */
    PUBLISH_READONLY(8),
    /** The controller has ControllerExpandVolume. */
    EXPAND_VOLUME(9),
    /** ListVolumes returns the nodes to which each volume is published. */
    LIST_VOLUMES_PUBLISHED_NODES(10),
    /** The controller reports volume conditions; only up to CSI 1.12. */
    VOLUME_CONDITION(11),
    /** The controller has ControllerGetVolume; alpha. */
    GET_VOLUME(12),
    /** The controller supports the access modes SINGLE_NODE_SINGLE_WRITER and SINGLE_NODE_MULTI_WRITER; alpha. */
    SINGLE_NODE_MULTI_WRITER(13),
    /** The controller has ControllerModifyVolume, and accepts mutable parameters in CreateVolume. */
    MODIFY_VOLUME(14),
    /** The controller has GetSnapshot; alpha. */
    GET_SNAPSHOT(15),
    /** The controller has ControllerGetVolumeHealth; alpha, since CSI 1.13. */
    GET_VOLUME_HEALTH(16),
    /** The controller has ControllerListVolumeHealth; alpha, since CSI 1.13. */
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
