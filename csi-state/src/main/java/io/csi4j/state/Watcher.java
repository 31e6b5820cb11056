package io.csi4j.state;

import io.csi4j.core.state.StateScope;

/** A watcher of a scope. */
interface Watcher {
    StateScope scope();

    /** Notifies a change in the scope at an index. Called by the writer: must not block or run foreign code. */
    void changed(long index);

    /** Notifies a change together with the changes of the transaction. */
    default void changed(long index, Touched touched) {
        changed(index);
    }

    /** Ends the watch. Called like {@link #changed}. */
    void closed(RuntimeException why);

    /**
     * Returns the index of the state that the watcher has seen, until its first notification; older changes are not notified.
     */
    default long seen() {
        return Long.MIN_VALUE;
    }

    /** Returns whether the watch ends after one notification. */
    boolean once();
}
