package io.csi4j.core.volume;

import org.jspecify.annotations.Nullable;

/**
 * Is told what differs between two versions of a collection.
 *
 * @param <T> what the collection holds
 */
@FunctionalInterface
public interface ChangeVisitor<T> {
    /**
     * One element differs. Never are both null.
     *
     * @param before as it was, or null: it was not there
     * @param after as it is, or null: it is not there any more
     */
    void changed(@Nullable T before, @Nullable T after);
}
