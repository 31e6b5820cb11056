package io.csi4j.core.id;

import java.util.Objects;

/**
 * A volume's full name: ids are unique only within their namespace (S25).
 *
 * @param namespace the namespace
 * @param volumeId the id in that namespace
 */
public record VolumeKey(Namespace namespace, VolumeId volumeId) implements Comparable<VolumeKey> {
    /** Checks that both parts are there. */
    public VolumeKey {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(volumeId, "volumeId");
    }

    /**
     * The key with the given texts.
     *
     * @param namespace the namespace
     * @param volumeId the id in that namespace
     * @return a key
     * @throws IllegalArgumentException if one of the texts is no id
     */
    public static VolumeKey of(String namespace, String volumeId) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(volumeId, "volumeId");
        return new VolumeKey(Namespace.of(namespace), VolumeId.of(volumeId));
    }

    /** Orders by namespace, then by id, each by code unit. */
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
