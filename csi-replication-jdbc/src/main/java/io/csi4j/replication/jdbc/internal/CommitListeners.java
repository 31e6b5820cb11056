package io.csi4j.replication.jdbc.internal;

import io.csi4j.core.spi.LogCommit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The listeners for the writes of this server. Thread-safe. */
final class CommitListeners {
    private static final System.Logger LOG = System.getLogger(CommitListeners.class.getName());

    private final List<Added> added = new CopyOnWriteArrayList<>();

    /** One call of {@link #add}: a host may add a listener twice. */
    private static final class Added {
        final Consumer<LogCommit> listener;

        Added(Consumer<LogCommit> listener) {
            this.listener = listener;
        }
    }

    /**
     * Adds a listener.
     *
     * @return removes it
     */
    Runnable add(Consumer<LogCommit> listener) {
        Added one = new Added(listener);
        added.add(one);
        return () -> added.remove(one);
    }

    void publish(LogCommit commit) {
        for (Added one : added) {
            try {
                one.listener.accept(commit);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "A listener for commits of the log failed; repair it", e);
            }
        }
    }
}
