package io.csi4j.core.spi;

import io.csi4j.core.state.StateReader;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * A {@link CommandLog} that several servers share, and that decides which of them leads. A server may be alone. {@code
 * CsiServer} of csi-server runs on every log of this type; csi-replication-ratis and csi-replication-jdbc have one each.
 * {@code ReplicatedLogContract} of csi-testkit has this contract as tests. Safe for use by many threads.
 *
 * <p><b>One leader at a time.</b> The engine of a server acts between {@link LeadershipListener#startLeading} and {@link
 * LeadershipListener#stopLeading}. The log ends the leadership of a server before another server begins to lead, also if
 * the server is paused, cut off or slow; it does not rely on clocks that show the same time. A server begins to lead only
 * when its state has every command that was committed before.
 *
 * <p><b>Commands of a former leader.</b> A command may be submitted while this server leads, and reach the order of the
 * log after another server has begun to lead. The command then changes nothing that the new leader relies on, because it
 * carries what it expects; a log that can do so refuses it.
 *
 * <p><b>An older state.</b> If the log was put back from a copy, its state may be older than what nodes have mounted.
 * Before a server leads on such a state, the log applies the command of {@link
 * io.csi4j.core.lifecycle.Cluster#stateRestored}, so that nothing is detached or newly claimed until the nodes have
 * reported.
 */
public interface ReplicatedLog extends CommandLog, AutoCloseable {
    /**
     * Reads the state of all servers, at any server.
     *
     * @return a snapshot of {@link #state()} with the effect of every command that was confirmed at any server before this
     *     call. Fails like {@link #submit}
     */
    CompletableFuture<StateReader> readLinearizable();

    /** Returns the role and the progress of this server. Does not block. */
    LogStatus status();

    /**
     * Returns whether the engine of this server may act now. Unlike the notifications of {@link #onLeadership}, it measures
     * the lease at this moment, so that a process which stood still does not act before it is notified. When it has returned
     * false to a leading server, that server is soon notified that it does not lead. Returns at once.
     *
     * <p>The default is {@link LogStatus#leading} of {@link #status()}.
     */
    default boolean mayAct() {
        return status().leading();
    }

    /**
     * Adds a listener for the leadership of this server. The listener is soon notified whether this server leads now. An
     * exception of a listener is logged.
     *
     * @return an action that removes the listener
     */
    Runnable onLeadership(LeadershipListener listener);

    /**
     * Adds a listener for the writes of this server. The log calls it on one of its own threads; the listener must not
     * block. An exception of a listener is logged.
     *
     * @return an action that removes the listener. A log that does not measure its writes never calls the listener
     */
    default Runnable onCommit(Consumer<LogCommit> listener) {
        Objects.requireNonNull(listener, "listener");
        return () -> {};
    }

    /**
     * Writes a snapshot of the state. A later restart begins with the snapshot, and reads only the entries after it.
     *
     * @return completes when the snapshot is durable, with the index of the last entry in it; with 0 if nothing was applied
     *     yet. Fails if the snapshot cannot be written
     */
    CompletableFuture<Long> takeSnapshot();

    /** Returns why this server has stopped for good; empty: it runs, or was closed. */
    default Optional<LogFailedException> failure() {
        CompletableFuture<LogFailedException> failed = failed();
        return failed.isDone() ? Optional.of(failed.join()) : Optional.empty();
    }

    /**
     * Returns a future that completes with the reason if this server stops by itself. It then leads no more and applies
     * nothing; {@link #state()} can still be read. Completing or cancelling the returned future has no effect on the log.
     */
    CompletableFuture<LogFailedException> failed();

    /**
     * Ends the leadership of this server, and closes the log and its state. Blocks until both are closed. Further calls
     * have no effect.
     */
    @Override
    void close();
}
