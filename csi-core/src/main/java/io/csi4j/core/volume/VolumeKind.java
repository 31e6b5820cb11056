package io.csi4j.core.volume;

/** How the volumes of a {@link VolumeClass} come into being. */
public enum VolumeKind {
    /** The plugin's controller creates them (CreateVolume). */
    CREATED,
    /**
     * The plugin makes their content where they are published (NodePublishVolume), for example secrets, certificates or
     * identities. They have no size, and end with the allocation that claims them. Nothing is created or attached before,
     * and nothing is deleted after.
     */
    INLINE
}
