package io.csi4j.core.volume;

/** Where a volume is in its life. */
public enum VolumePhase {
    /** The intent to create it is written; whether the provider has it is not known yet (R56). */
    CREATING,
    /** The provider has it. */
    AVAILABLE,
    /** The intent to delete it is written; whether the provider still has it is not known. */
    DELETING;

    /**
     * Whether a volume may go from this phase to {@code next}. Staying is always allowed.
     *
     * @param next the phase to go to
     * @return false for what would forget an intent: a volume never goes back to CREATING
     */
    public boolean mayBecome(VolumePhase next) {
        return this == next || next != CREATING;
    }
}
