package io.csi4j.core.volume;

import org.jspecify.annotations.Nullable;

/**
 * Receives the differences between two versions of a collection.
 *
 * @param <T> the type of the elements
 */
@FunctionalInterface
public interface ChangeVisitor<T> {
    /**
     * Reports one difference. At least one of the two parameters is not null.
     *
     * @param before the element in the earlier version; null if that version did not have it
     * @param after the element in the later version; null if it was removed
     */
    void changed(@Nullable T before, @Nullable T after);
}
