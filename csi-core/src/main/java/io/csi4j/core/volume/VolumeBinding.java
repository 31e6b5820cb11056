package io.csi4j.core.volume;

/**
 * The chooser of the place of a volume that is created before it is known where it will be used, by
 * {@link io.csi4j.core.lifecycle.ManagedVolumes#create(io.csi4j.core.id.VolumeKey, VolumeTemplate)}. A claim with a template
 * makes the volume where its allocation runs, with classes of both kinds.
 */
public enum VolumeBinding {
    /**
     * The engine, when the volume is created: it asks for all topologies that the class allows and nodes have reported, and
     * prefers another one for each volume, so that the volumes are spread. {@code data[1]} has the topology after that of
     * {@code data[0]}. The provider takes another one of them if there is no room (R53).
     */
    AT_CREATION,
    /**
     * A claim, when its allocation has been placed. For a volume that is created without a claim, the engine asks for the
     * topologies of the class without a preference, and the provider chooses.
     */
    AT_PLACEMENT
}
