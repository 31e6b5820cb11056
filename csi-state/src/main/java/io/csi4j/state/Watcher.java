package io.csi4j.state;

import io.csi4j.core.state.StateScope;
import java.util.List;

/** A watcher of the changes in one or several scopes. */
interface Watcher {
    /** Returns the scopes, each once; always the same ones. */
    List<StateScope> scopes();

    /** Handles a change in a scope. The writer calls this method, so it must not block or run code of the host. */
    void changed(long index);

    /** Handles a change in a scope, with the list of all changes of the transaction. */
    default void changed(long index, Touched touched) {
        changed(index);
    }

    /** Ends the watch. This method must not block or run code of the host, just like {@link #changed}. */
    void closed(RuntimeException reason);

    /**
     * Returns the index of the state that the caller knew when the watch began. The first notification is for a change
     * after this index.
     */
    default long index() {
        return Long.MIN_VALUE;
    }

    /** Returns whether the watch ends after its first notification. */
    boolean once();
}
