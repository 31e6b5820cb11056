package io.csi4j.core.lifecycle;

import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.VolumeClassName;
import java.util.Objects;
import java.util.Optional;

/**
 * A query for a list of volume classes.
 *
 * @param namespace lists only classes that this namespace may use; empty for all classes
 * @param namePrefix lists only classes whose names begin with it; empty for all
 * @param after lists only classes after this name, whether or not a class has it; empty to begin with the first
 * @param limit the maximum number of classes on a page, 1 or more
 */
public record VolumeClassQuery(
        Optional<Namespace> namespace, String namePrefix, Optional<VolumeClassName> after, int limit) {
    /** @throws IllegalArgumentException if the limit is below 1 */
    public VolumeClassQuery {
        Objects.requireNonNull(namespace, "namespace");
        Objects.requireNonNull(namePrefix, "namePrefix");
        Objects.requireNonNull(after, "after");
        PageLimit.checked("VolumeClassQuery", limit);
    }

    /** Returns a query for all classes on one page. */
    public static VolumeClassQuery all() {
        return new VolumeClassQuery(Optional.empty(), "", Optional.empty(), Integer.MAX_VALUE);
    }

    /** Returns a query for all classes that a namespace may use, on one page. */
    public static VolumeClassQuery usableIn(Namespace namespace) {
        return new VolumeClassQuery(Optional.of(namespace), "", Optional.empty(), Integer.MAX_VALUE);
    }
}
