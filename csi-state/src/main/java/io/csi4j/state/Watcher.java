package io.csi4j.state;

import io.csi4j.core.state.StateScope;

/** Somebody who wants to know. */
interface Watcher {
    StateScope scope();

    /** Something in the scope is as new as the index. Called by the writer: must not block, must not run foreign code. */
    void changed(long index);

    /** The same, with what the writer touched. */
    default void changed(long index, Touched touched) {
        changed(index);
    }

    /** There will be no news any more. Called as {@link #changed}. */
    void closed(RuntimeException why);

    /** What it had seen when it came, until it is called for the first time: news as old as that are none. */
    default long seen() {
        return Long.MIN_VALUE;
    }

    /** Whether one call is all it wants. */
    boolean once();
}
