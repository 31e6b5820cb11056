package io.csi4j.core.volume;

import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeClassName;
import java.util.Objects;
import java.util.Optional;

/**
 * Identifies a quota: it limits the volumes of a namespace, or only those of them that were made from one class. The
 * class need not exist.
 *
 * @param className the class; empty for all volumes of the namespace
 */
public record QuotaKey(Namespace namespace, Optional<VolumeClassName> className) implements Comparable<QuotaKey> {
    public QuotaKey {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(className, "className");
    }

    /** Returns the key of the quota of all volumes of a namespace. */
    public static QuotaKey of(Namespace namespace) {
        return new QuotaKey(namespace, Optional.empty());
    }

    /** Returns the key of the quota of the volumes of a class in a namespace. */
    public static QuotaKey of(Namespace namespace, VolumeClassName className) {
        return new QuotaKey(namespace, Optional.of(className));
    }

    /** Returns whether the quota with this key counts a volume of this namespace and class. */
    boolean counts(Namespace of, Optional<VolumeClassName> madeFrom) {
        return namespace.equals(of) && (className.isEmpty() || className.equals(madeFrom));
    }

    /** Orders the keys by namespace; the quota of the namespace comes before those of its classes. */
    @Override
    public int compareTo(QuotaKey other) {
        int byNamespace = namespace.compareTo(other.namespace);
        return byNamespace != 0
                ? byNamespace
                : className
                        .map(VolumeClassName::value)
                        .orElse("")
                        .compareTo(other.className.map(VolumeClassName::value).orElse(""));
    }

    /** Returns the key as text for operators, for example {@code quota of namespace a, class fast}. */
    @Override
    public String toString() {
        return "quota of namespace " + namespace
                + className.map(name -> ", class " + name).orElse("");
    }
}
