package io.csi4j.core.volume;

/** The phase in a volume's life. */
public enum VolumePhase {
    /** The intent to create the volume is persisted; its existence at the provider is unknown (R56). */
    CREATING,
    /** The volume exists at the provider. */
    AVAILABLE,
    /** The intent to delete the volume is persisted; its existence at the provider is unknown. */
    DELETING;

    /**
     * Returns whether a volume may change from this phase to another one, or stay.
     *
     * @return false for a change that would drop an intent: a volume never returns to CREATING
     */
    public boolean mayBecome(VolumePhase next) {
        return this == next || next != CREATING;
    }
}
