package io.csi4j.core.id;

import io.csi4j.core.internal.text.Digest;
import io.csi4j.core.internal.text.Text;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The key of a volume in the state: its namespace and its id. Volumes in different namespaces may have the same id.
 *
 * @param namespace the namespace
 * @param volumeId the id in that namespace
 */
public record VolumeKey(Namespace namespace, VolumeId volumeId) implements Comparable<VolumeKey> {
    private static final int READABLE = 40;
    private static final int DIGEST_BYTES = 16;

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

    /**
     * Returns the key of a volume that belongs to one allocation: the beginning of its name, and digits that stand for the
     * allocation and the name. Two pairs of allocation and name have different keys.
     *
     * @param namespace the namespace of the allocation
     * @param name the name of the volume in the workload, not empty
     * @throws IllegalArgumentException if the name is not a valid volume id
     */
    public static VolumeKey ofAllocation(Namespace namespace, AllocationId allocationId, String name) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(name, "name");
        String readable = VolumeId.of(name).value().replaceAll("[^A-Za-z0-9]+", "-");
        return new VolumeKey(
                namespace,
                VolumeId.of(readable.substring(0, Math.min(readable.length(), READABLE)) + "-"
                        + Digest.of(DIGEST_BYTES, allocationId.value(), name)));
    }

    // The key of nearly all maps of an engine. The methods that Java makes for a record take several times as long.
    @Override
    public boolean equals(@Nullable Object other) {
        return this == other
                || (other instanceof VolumeKey key
                        && volumeId.value().equals(key.volumeId.value())
                        && namespace.value().equals(key.namespace.value()));
    }

    @Override
    public int hashCode() {
        return 31 * namespace.value().hashCode() + volumeId.value().hashCode();
    }

    /** Orders by namespace and then by volume id. Texts are ordered by their code units. */
    @Override
    public int compareTo(VolumeKey other) {
        int byNamespace = namespace.compareTo(other.namespace);
        return byNamespace != 0 ? byNamespace : volumeId.compareTo(other.volumeId);
    }

    /**
     * Returns the key of a text that {@link #toString} returned.
     *
     * @param text namespace and volume id, with a slash between them
     * @throws IllegalArgumentException if the text has no slash, or a part is not valid
     */
    public static VolumeKey parse(String text) {
        int slash = Objects.requireNonNull(text, "text").indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException(
                    "VolumeKey: there is no slash in " + Text.printable(text) + "; give NAMESPACE/VOLUME");
        }
        return of(Text.readKeyPart(text.substring(0, slash)), Text.readKeyPart(text.substring(slash + 1)));
    }

    /**
     * Returns the key as text for operators, for example {@code default/db}. Two different keys have different texts: a
     * slash in the namespace and invisible characters are escaped like {@code \u005Cu002F}, and a backslash is doubled.
     */
    @Override
    public String toString() {
        return Text.keyPart(namespace.value()).replace("/", Text.SLASH) + "/" + Text.keyPart(volumeId.value());
    }
}
