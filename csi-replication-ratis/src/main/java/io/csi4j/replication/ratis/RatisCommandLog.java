package io.csi4j.replication.ratis;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.core.spi.LogOverloadedException;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.core.spi.NoLeaderException;
import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.core.spi.UnansweredCommandException;
import io.csi4j.core.state.StateReader;
import io.csi4j.replication.ratis.internal.LogProcess;
import io.csi4j.state.StateStore;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * A command log on disk: durable with one peer, and replicated with three or five. A command becomes visible, and its
 * submitter gets the outcome, only after a majority of the peers has flushed the command to disk. So no confirmed
 * command is lost while a majority of the disks survives. Thread-safe.
 *
 * <p>Commands may be submitted at every peer; the leader orders them. Every peer applies the commands to its own {@link
 * #state}, which it closes with the log.
 */
public final class RatisCommandLog implements ReplicatedLog {
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
     *     {@link LogFailedException} if this peer has stopped, with a {@link LogClosedException} after {@link #close},
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

    @Override
    public CompletableFuture<StateReader> readLinearizable() {
        return process.readLinearizable();
    }

    @Override
    public LogStatus status() {
        return process.status();
    }

    /** Returns the voting peers with their addresses; empty for a peer that runs alone. */
    public List<Peer> peers() {
        return process.peers();
    }

    @Override
    public boolean mayAct() {
        return process.mayAct();
    }

    @Override
    public Runnable onLeadership(LeadershipListener listener) {
        return process.onLeadership(Objects.requireNonNull(listener, "listener"));
    }

    @Override
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

    @Override
    public CompletableFuture<LogFailedException> failed() {
        return process.failed();
    }

    @Override
    public void close() {
        process.close();
    }
}
