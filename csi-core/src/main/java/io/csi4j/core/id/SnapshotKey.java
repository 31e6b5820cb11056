package io.csi4j.core.id;

import io.csi4j.core.internal.text.Text;
import java.util.Objects;

/**
 * The key of a snapshot in the state: its namespace and its name. Snapshots in different namespaces may have the same
 * name.
 *
 * @param namespace the namespace
 * @param name the name in that namespace
 */
public record SnapshotKey(Namespace namespace, SnapshotName name) implements Comparable<SnapshotKey> {
    public SnapshotKey {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
    }

    /**
     * Returns the key with these texts.
     *
     * @throws IllegalArgumentException if a text is not valid
     */
    public static SnapshotKey of(String namespace, String name) {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(name, "name");
        return new SnapshotKey(Namespace.of(namespace), SnapshotName.of(name));
    }

    /** Orders by namespace and then by name. Texts are ordered by their code units. */
    @Override
    public int compareTo(SnapshotKey other) {
        int byNamespace = namespace.compareTo(other.namespace);
        return byNamespace != 0 ? byNamespace : name.compareTo(other.name);
    }

    /**
     * Returns the key of a text that {@link #toString} returned.
     *
     * @param text namespace and name, with a slash between them
     * @throws IllegalArgumentException if the text has no slash, or a part is not valid
     */
    public static SnapshotKey parse(String text) {
        int slash = Objects.requireNonNull(text, "text").indexOf('/');
        if (slash < 0) {
            throw new IllegalArgumentException(
                    "SnapshotKey: there is no slash in " + Text.printable(text) + "; give NAMESPACE/SNAPSHOT");
        }
        return of(Text.readKeyPart(text.substring(0, slash)), Text.readKeyPart(text.substring(slash + 1)));
    }

    /**
     * Returns the key as text for operators, for example {@code default/db-monday}. Two different keys have different
     * texts: a slash in the namespace and invisible characters are escaped, and a backslash is doubled.
     */
    @Override
    public String toString() {
        return Text.keyPart(namespace.value()).replace("/", Text.SLASH) + "/" + Text.keyPart(name.value());
    }
}
