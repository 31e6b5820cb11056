package io.csi4j.core.volume;

/** The moment at which the place of a volume of a class is chosen. It has no effect yet, because no claim makes volumes. */
public enum VolumeBinding {
    /** When the volume is created, before it is known where it will be used. */
    AT_CREATION,
    /** When a workload that claims the volume has been placed: the volume is made where the workload runs. */
    AT_PLACEMENT
}
