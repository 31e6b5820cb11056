package io.csi4j.replication.jdbc.internal;

import io.csi4j.core.spi.LogCommit;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

/** The listeners for the writes of this server. Thread-safe. */
final class CommitListeners {
    private static final System.Logger LOG = System.getLogger(CommitListeners.class.getName());

    private final List<Consumer<LogCommit>> listeners = new CopyOnWriteArrayList<>();

    /**
     * Adds a listener.
     *
     * @return removes it
     */
    Runnable add(Consumer<LogCommit> listener) {
        // Another object for each call, because a host may add a listener twice.
        Consumer<LogCommit> added = listener::accept;
        listeners.add(added);
        return () -> listeners.remove(added);
    }

    void publish(LogCommit commit) {
        for (Consumer<LogCommit> listener : listeners) {
            try {
                listener.accept(commit);
            } catch (RuntimeException e) {
                LOG.log(System.Logger.Level.ERROR, "A listener for commits of the log failed; repair it", e);
            }
        }
    }
}
