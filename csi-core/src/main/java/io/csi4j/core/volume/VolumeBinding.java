package io.csi4j.core.volume;

/**
 * The moment at which the place of a volume of a class is to be chosen, as a note for hosts and people: the engine does not
 * read it. A claim with a template makes the volume where its allocation runs, and
 * {@link io.csi4j.core.lifecycle.ManagedVolumes#create(io.csi4j.core.id.VolumeKey, VolumeTemplate)} makes it at once, with
 * classes of both kinds.
 */
public enum VolumeBinding {
    /** When the volume is created, before it is known where it will be used. */
    AT_CREATION,
    /** When a workload that claims the volume has been placed: the volume is made where the workload runs. */
    AT_PLACEMENT
}
