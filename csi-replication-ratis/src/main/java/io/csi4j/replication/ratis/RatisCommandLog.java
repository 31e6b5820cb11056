package io.csi4j.replication.ratis;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.core.state.StateReader;
import io.csi4j.replication.ratis.internal.LogProcess;
import io.csi4j.state.StateStore;
import java.nio.file.Path;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A command log on disk: durable with one peer, and replicated with three or five. A command becomes visible, and its
 * submitter gets the outcome, only after a majority of the peers has flushed the command to disk. So no confirmed
 * command is lost while a majority of the disks survives. Thread-safe.
 *
 * <p>Commands may be submitted at every peer; the leader orders them. Every peer applies the commands to its own {@link
 * #state}, which it closes with the log.
 */
public final class RatisCommandLog implements CommandLog, AutoCloseable {
    private final LogProcess process;

    RatisCommandLog(LogProcess process) {
        this.process = process;
    }

    /**
     * Returns a builder of a log on one machine, which needs no network.
     *
     * @param directory the directory of the log, created if it is missing. One log may use it at a time
     */
    public static RatisCommandLogBuilder builder(Path directory) {
        return new RatisCommandLogBuilder(Objects.requireNonNull(directory, "directory"));
    }

    /**
     * Submits a command, at any peer.
     *
     * @return completes with the outcome after this peer has applied the command. Fails with a {@link
     *     LogOverloadedException} if too many commands wait, with a {@link NoLeaderException} or an {@link
     *     UnansweredCommandException} if the outcome is unknown after {@link RatisLogOptions#submitTimeout()}, with a
     *     {@link PeerFailedException} if this peer has stopped, with a {@link LogClosedException} after {@link #close},
     *     with a {@link io.csi4j.core.spi.CommandTooLargeException} if the command has more than 4 MB,
     *     and with another {@link io.csi4j.core.call.CsiException} if the command cannot be encoded
     */
    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        return process.submit(Objects.requireNonNull(command, "command"));
    }

    /** Returns the state of this peer, which may be behind that of the leader. */
    @Override
    public StateStore state() {
        return process.store();
    }

    /**
     * Reads the state of the whole cluster, at any peer.
     *
     * @return a snapshot with the effect of every command that was confirmed before this call. Fails like {@link
     *     #submit}
     */
    public CompletableFuture<StateReader> readLinearizable() {
        return process.readLinearizable();
    }

    /** Returns the role and the progress of this peer. */
    public LogStatus status() {
        return process.status();
    }

    /**
     * Adds a listener for the leadership of this peer. The listener is soon notified whether this peer leads now.
     *
     * @return an action that removes the listener
     */
    public Runnable onLeadership(LeadershipListener listener) {
        return process.onLeadership(Objects.requireNonNull(listener, "listener"));
    }

    /**
     * Writes a snapshot of the state. A later restart begins with the snapshot, and reads only the entries after it.
     *
     * @return completes when the snapshot is durable, with the index of the last entry in it; with 0 if nothing was
     *     applied yet. Fails if the snapshot cannot be written
     */
    public CompletableFuture<Long> takeSnapshot() {
        return process.takeSnapshot();
    }

    /**
     * Adds a peer to the cluster. Start the new peer before this call, with an empty directory and without a list of
     * peers. It gets a snapshot and the later entries, and votes once it has caught up. This method may be called at
     * every peer, and may be repeated.
     *
     * @return completes when the peer votes; fails with a {@link io.csi4j.core.call.CsiException} that says what to
     *     check
     */
    public CompletableFuture<Void> addPeer(Peer peer) {
        return process.addPeer(Objects.requireNonNull(peer, "peer"));
    }

    /**
     * Removes a peer, which may be dead. This method may be called at every peer that remains, and may be repeated.
     *
     * @return completes when the peer does not vote any more; fails as {@link #addPeer}
     */
    public CompletableFuture<Void> removePeer(PeerId id) {
        return process.removePeer(Objects.requireNonNull(id, "id"));
    }

    /**
     * Replaces a dead peer in one step. Start the new peer before this call, with an empty directory and without a list
     * of peers.
     *
     * @param old the peer to remove
     * @param replacement the peer to add, with an id that was never used
     * @return completes when the new peer votes; fails as {@link #addPeer}
     */
    public CompletableFuture<Void> replacePeer(PeerId old, Peer replacement) {
        return process.replacePeer(
                Objects.requireNonNull(old, "old"), Objects.requireNonNull(replacement, "replacement"));
    }

    /** Returns why this peer has stopped; empty: it runs, or was closed. */
    public Optional<PeerFailedException> failure() {
        return process.failure();
    }

    /** Returns a future that completes with the reason if this peer stops by itself. */
    public CompletableFuture<PeerFailedException> failed() {
        return process.failed();
    }

    /** Closes the log and its state. Blocks until the files are closed. Further calls have no effect. */
    @Override
    public void close() {
        process.close();
    }
}
