package io.csi4j.replication.ratis.internal.machine;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.replication.ratis.internal.files.SkippedEntries;
import io.csi4j.replication.ratis.internal.machine.EntryReader.ReadEntry;
import io.csi4j.replication.ratis.internal.machine.RollingDigest.Point;
import io.csi4j.replication.ratis.internal.peer.Snapshots;
import io.csi4j.state.CommandCodec;
import io.csi4j.state.StateStore;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Collection;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RoleInfoProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftGroupMemberId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.LifeCycle;
import org.jspecify.annotations.Nullable;

/**
 * Applies the committed entries of the log to a store, on one thread of Ratis. Snapshots are captured between two
 * entries, and are written in the background.
 */
public final class CommandStateMachine extends BaseStateMachine {
    private static final System.Logger LOG = System.getLogger(CommandStateMachine.class.getName());

    private final StateStore store;
    private final CommandCodec codec;
    private final EntryReader entries;
    private final SkippedEntries skipped;
    private final MachineListener listener;
    private final SnapshotWriter snapshots;

    /** The lock that is held while an entry is applied, an outcome is read, or a snapshot is captured or restored. */
    private final Object applying = new Object();

    private final Sessions sessions = new Sessions();
    private final RollingDigest digest;

    /** The directory of the log, for error messages; null until Ratis has initialized this state machine. */
    private volatile @Nullable File directory;

    /**
     * The failure that stopped this peer, or null. After this failure, no entry is applied and no snapshot is taken.
     */
    private volatile @Nullable LogFailedException stopped;

    /**
     * Creates the machine of a store.
     *
     * @param store an empty store
     * @param codec the encoding of commands and outcomes
     * @param skipped the entries to leave out if they cannot be applied
     * @param checkInterval the number of commands between two checks
     * @param listener receives the events
     */
    public CommandStateMachine(
            StateStore store,
            CommandCodec codec,
            SkippedEntries skipped,
            long checkInterval,
            MachineListener listener) {
        this.store = store;
        this.skipped = skipped;
        this.codec = codec;
        this.entries = new EntryReader(codec);
        this.listener = listener;
        this.digest = new RollingDigest(checkInterval);
        this.snapshots = new SnapshotWriter(store);
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId groupId, RaftStorage storage) throws IOException {
        getLifeCycle()
                .startAndTransition(
                        () -> {
                            super.initialize(server, groupId, storage);
                            directory = storage.getStorageDir().getRoot();
                            snapshots.open(storage);
                            restore();
                        },
                        IOException.class);
    }

    /** Reads the latest snapshot, if there is one. */
    private void restore() throws IOException {
        synchronized (applying) {
            try {
                var content = snapshots.restoreLatest();
                if (content.isPresent()) {
                    sessions.replace(content.get().decodedSessions(codec));
                    digest.restore(content.get().digest(), content.get().commands());
                    setLastAppliedTermIndex(content.get().position());
                    listener.applied(content.get().position().getIndex());
                }
            } catch (CsiException unusable) {
                LogFailedException failure = unusable instanceof LogFailedException damaged
                        ? damaged
                        : new LogFailedException(
                                "The latest snapshot cannot be restored: " + unusable.getMessage(), unusable);
                listener.failed(failure);
                throw failure;
            }
        }
    }

    @Override
    public void pause() {
        getLifeCycle().transition(LifeCycle.State.PAUSING);
        getLifeCycle().transition(LifeCycle.State.PAUSED);
    }

    /** Restores the state from a snapshot that the leader has sent. */
    @Override
    public void reinitialize() throws IOException {
        snapshots.syncInstalled();
        restore();
        if (getLifeCycleState() == LifeCycle.State.PAUSED) {
            getLifeCycle().transition(LifeCycle.State.STARTING);
            getLifeCycle().transition(LifeCycle.State.RUNNING);
        }
    }

    /**
     * Refuses a request that this peer cannot read, before it enters the log, because an unreadable entry stops every
     * peer. An entry of this peer may still be refused by the leader, for example if the leader has an older version.
     */
    @Override
    public TransactionContext startTransaction(RaftClientRequest request) throws IOException {
        TransactionContext transaction = super.startTransaction(request);
        try {
            return transaction.setStateMachineContext(
                    entries.readRequest(request.getMessage().getContent(), this::differs));
        } catch (RuntimeException unreadable) {
            return transaction.setException(new EntryRefusedException(
                    "the entry was refused, because the leader cannot read it: " + unreadable.getMessage()));
        }
    }

    private boolean differs(Point point) {
        synchronized (applying) {
            return digest.differs(point);
        }
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        LogEntryProto proto = transaction.getLogEntry();
        long index = proto.getIndex();
        LogFailedException before = stopped;
        if (before != null) {
            return CompletableFuture.failedFuture(before);
        }
        try {
            synchronized (applying) {
                applyUnlessSkipped(index, proto, transaction.getStateMachineContext());
                updateLastAppliedTermIndex(proto.getTerm(), index);
            }
            listener.applied(index);
            return CompletableFuture.completedFuture(Message.EMPTY);
        } catch (RuntimeException e) {
            LogFailedException failure = e instanceof LogFailedException failed ? failed : unusable(index, e);
            // Returns the failure instead of throwing it. If the state machine throws, closing the server waits for
            // ever.
            stopped = failure;
            listener.failed(failure);
            return CompletableFuture.failedFuture(failure);
        }
    }

    private void applyUnlessSkipped(long index, LogEntryProto proto, @Nullable Object started) {
        try {
            apply(
                    index,
                    started instanceof ReadEntry read
                            ? read
                            : entries.read(proto.getStateMachineLogEntry().getLogData()));
        } catch (LogFailedException stops) {
            throw stops;
        } catch (RuntimeException unusable) {
            if (!skipped.contains(index)) {
                throw unusable;
            }
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The entry of the log with index " + index + " was left out, because " + skipped.file()
                            + " names it: " + unusable.getMessage());
        }
    }

    private void apply(long index, ReadEntry read) {
        LogEntry entry = read.entry();
        Command command = read.command();
        if (command != null) {
            sessions.applyOnce(entry, () -> store.applyAt(index, command))
                    .flatMap(outcome -> digest.add(index, entry.content(), outcome))
                    .ifPresent(point -> listener.checkDue(point.index(), point.digest()));
        } else if (entry.kind() == LogEntry.Kind.CHECK) {
            compare(entry.content());
        }
    }

    /**
     * Returns the outcome of a command that this process submitted and this machine has applied. The outcome is kept
     * until a later entry shows that the process has received it.
     */
    public Optional<Outcome> outcome(LogEntry entry) {
        synchronized (applying) {
            return sessions.outcome(entry);
        }
    }

    private void compare(ByteString content) {
        Point leader = EntryReader.point(content);
        if (digest.differs(leader)) {
            throw new LogFailedException(
                    "The state of this peer differs from the leader's at index " + leader.index()
                            + ". The peer has stopped, so that no wrong state is read. Replace it: remove it from"
                            + " the cluster, and add a peer with a new id and an empty directory",
                    null);
        }
    }

    private LogFailedException unusable(long index, RuntimeException e) {
        return new LogFailedException(
                "The entry of the log with index " + index
                        + (EntryReader.unreadable(e) ? " cannot be read: " : " could not be applied: ") + e.getMessage()
                        + ". The peer has stopped, and nothing after this entry was applied. Start it again with the"
                        + " newest version that runs in the cluster. "
                        + skipped.remedy(index),
                e);
    }

    /** Returns the content of an entry of kind CHECK. */
    public static ByteString checkContent(long index, ByteString digest) {
        return ByteString.copyFrom(
                        ByteBuffer.allocate(Long.BYTES).putLong(index).flip())
                .concat(digest);
    }

    /** Returns at once with the index of the last durable snapshot; starts another one if none is being written. */
    @Override
    public long takeSnapshot() {
        return stopped == null ? snapshots.next(this::capture) : snapshots.durable();
    }

    /**
     * Writes a snapshot of the present state.
     *
     * @return completes when the snapshot is durable, with the index of the last entry in it
     */
    public CompletableFuture<Long> snapshotNow() {
        LogFailedException failure = stopped;
        return failure == null ? snapshots.write(this::capture) : CompletableFuture.failedFuture(failure);
    }

    private SnapshotContent.Capture capture() {
        synchronized (applying) {
            TermIndex position = getLastAppliedTermIndex();
            return new SnapshotContent.Capture(SnapshotContent.of(position, digest, sessions, codec), store.snapshot());
        }
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return snapshots.storage();
    }

    @Override
    public void notifyTermIndexUpdated(long term, long index) {
        if (stopped == null) {
            super.notifyTermIndexUpdated(term, index);
            listener.applied(index);
        }
    }

    /** Reports that this peer has stopped because it was removed from the cluster. */
    @Override
    public void notifyServerShutdown(RoleInfoProto role, boolean allServers) {
        if (!allServers) {
            listener.failed(new LogFailedException(
                    "This peer was removed from the cluster, and has stopped. Delete its directory; to add the machine"
                            + " again, give it a new id, and start it without newCluster",
                    null));
        }
    }

    @Override
    public void notifyLeaderReady() {
        listener.elected();
    }

    @Override
    public void notifyNotLeader(Collection<TransactionContext> pending) {
        listener.deposed();
    }

    @Override
    public void notifyLeaderChanged(RaftGroupMemberId self, @Nullable RaftPeerId leader) {
        if (leader != null && !leader.equals(self.getPeerId())) {
            listener.followed(leader);
        }
    }

    @Override
    public void notifyExtendedNoLeader(RoleInfoProto role) {
        listener.leaderMissing();
    }

    @Override
    public void notifyLogFailed(Throwable cause, LogEntryProto failed) {
        listener.failed(new LogFailedException(
                "The log in " + directory + " cannot be written: " + cause.getMessage()
                        + ". The peer has stopped; no command that was answered is lost. Free space on the disk, or"
                        + " repair it, and start the peer again",
                cause));
    }

    /** Closes the machine, after a snapshot that is being written is complete. */
    @Override
    public void close() {
        snapshots.close();
    }

    /** Returns the snapshots of this peer. */
    public Snapshots snapshots() {
        return snapshots.status();
    }
}
