package io.csi4j.core.volume;

/** The phases of a volume: it is being created, it exists, or it is being deleted. */
public enum VolumePhase {
    /** The intent to create the volume is stored. The storage provider may or may not have the volume (R56). */
    CREATING,
    /** The volume exists at the storage provider. */
    AVAILABLE,
    /** The intent to delete the volume is stored. The storage provider may or may not have the volume. */
    DELETING;

    /**
     * Returns whether a volume in this phase may enter the phase {@code next}. A volume may enter every phase except
     * CREATING, and it may stay in its own phase.
     */
    public boolean mayBecome(VolumePhase next) {
        return this == next || next != CREATING;
    }
}
