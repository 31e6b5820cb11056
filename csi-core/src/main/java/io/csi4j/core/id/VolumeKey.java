package io.csi4j.core.id;

import java.util.Objects;

/**
 * The key of a volume in the state: its namespace and its id. Volumes in different namespaces may have the same id.
 *
 * @param namespace the namespace
 * @param volumeId the id in that namespace
 */
public record VolumeKey(Namespace namespace, VolumeId volumeId) implements Comparable<VolumeKey> {
    public VolumeKey {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(volumeId, "volumeId");
    }

    /**
     * Returns the key with these texts.
     *
     * @throws IllegalArgumentException if a text is not valid
     */
    public static VolumeKey of(String namespace, String volumeId) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(volumeId, "volumeId");
        return new VolumeKey(Namespace.of(namespace), VolumeId.of(volumeId));
    }

    /** Orders by namespace and then by volume id. Texts are ordered by their code units. */
    @Override
    public int compareTo(VolumeKey other) {
        int byNamespace = namespace.compareTo(other.namespace);
        return byNamespace != 0 ? byNamespace : volumeId.compareTo(other.volumeId);
    }

    @Override
    public String toString() {
        return namespace + "/" + volumeId;
    }
}
