package io.csi4j.replication.ratis.internal;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.file.OwnDirectory;
import io.csi4j.core.internal.log.CauseLog;
import io.csi4j.core.internal.replication.Leadership;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.core.state.StateReader;
import io.csi4j.replication.ratis.Peer;
import io.csi4j.replication.ratis.PeerId;
import io.csi4j.replication.ratis.internal.files.DirectoryMark;
import io.csi4j.replication.ratis.internal.files.LogFiles;
import io.csi4j.replication.ratis.internal.files.SkippedEntries;
import io.csi4j.replication.ratis.internal.lead.LeaderLease;
import io.csi4j.replication.ratis.internal.lead.LeaderTerm;
import io.csi4j.replication.ratis.internal.lead.LeaderTerm.LeaseTimes;
import io.csi4j.replication.ratis.internal.lead.PeerContacts;
import io.csi4j.replication.ratis.internal.machine.CommandStateMachine;
import io.csi4j.replication.ratis.internal.machine.LogEntry;
import io.csi4j.replication.ratis.internal.machine.MachineListener;
import io.csi4j.replication.ratis.internal.peer.DirectoryLock;
import io.csi4j.replication.ratis.internal.peer.PeerServer;
import io.csi4j.replication.ratis.internal.peer.PeerSettings;
import io.csi4j.replication.ratis.internal.submit.AppliedIndex;
import io.csi4j.replication.ratis.internal.submit.Submitter;
import io.csi4j.state.CommandCodec;
import io.csi4j.state.StateStore;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.raftlog.RaftLog;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.Timestamp;
import org.jspecify.annotations.Nullable;

/** A running log: creates its parts and connects them. */
public final class LogProcess implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger(LogProcess.class.getName());

    private final LogSettings settings;
    private final DirectoryLock lock;
    private final Environment environment;
    private final StateStore store;
    private final CommandCodec codec;
    private final AppliedIndex applied;
    private final DirectoryMark mark;
    private final RestoredLog restored;
    /** Counts the changes of the role of this peer. */
    private final AtomicLong roles = new AtomicLong();

    private final Leadership leadership;
    private final LeaderLease lease;
    private final LeaderTerm term;
    private final CommandStateMachine machine;
    private final CompletableFuture<PeerServer> server = new CompletableFuture<>();
    private final Submitter submitter;
    private final Membership membership;
    private final CompletableFuture<LogFailedException> failed = new CompletableFuture<>();
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile @Nullable KnownLeader leader;
    private final CauseLog causes;

    /** The leader that this peer has last heard of, and the time of that. */
    private record KnownLeader(String peer, Instant since) {}

    private LogProcess(LogSettings settings, DirectoryLock lock, DirectoryMark mark, SkippedEntries skipped) {
        this.settings = settings;
        this.lock = lock;
        this.environment = settings.environment == null ? Environment.system() : settings.environment;
        this.causes = new CauseLog(LOG, environment.clock());
        this.store = StateStore.create(settings.state);
        this.codec = CommandCodec.of(settings.state);
        this.applied = new AppliedIndex();
        this.mark = mark;
        this.restored = new RestoredLog(mark, environment, applied::get, failure -> new Events().failed(failure));
        this.leadership = new Leadership(environment.executor());
        LeaseTimes times = LeaseTimes.of(settings.options.electionTimeout());
        this.lease = new LeaderLease(times.lease(), Timestamp::currentTimeNanos);
        this.term = new LeaderTerm(
                environment.timer(),
                Timestamp::currentTimeNanos,
                leadership,
                lease,
                this::leaseHeld,
                this::alone,
                times,
                new PeerContacts(lease, this::memberIds, this::writeLine, environment.clock()));
        this.membership = new Membership(server, settings);
        this.machine = new CommandStateMachine(store, codec, skipped, settings.options.checkInterval(), new Events());
        this.submitter = new Submitter(
                entry -> server.join().send(entry),
                new LogFailures(settings, server),
                applied,
                machine::outcome,
                environment,
                settings.options);
    }

    public static LogProcess start(LogSettings settings) throws IOException {
        DirectoryLock lock = DirectoryLock.of(settings.directory);
        LogProcess process;
        try {
            process = new LogProcess(
                    settings,
                    lock,
                    DirectoryMark.read(settings.directory, PeerServer.logName(settings.cluster)),
                    SkippedEntries.read(settings.directory));
        } catch (IOException | RuntimeException unreadable) {
            lock.close();
            throw unreadable;
        }
        try {
            OwnDirectory.makeIn(settings.directory, settings.directory.resolve("log"));
            LogFiles.check(settings.directory.resolve("log"));
            PeerServer started = PeerServer.start(process.peerSettings());
            process.server.complete(started);
            process.checkStarted(started);
            process.logStart();
            process.restored.opened(started.lastIndex(), process::submit);
            return process;
        } catch (IOException | RuntimeException unstarted) {
            process.abandon();
            process.throwFailure();
            if (Futures.unwrap(unstarted) instanceof IOException reason) {
                throw reason;
            }
            throw unstarted;
        }
    }

    private void logStart() {
        LogStatus now = status();
        LOG.log(
                System.Logger.Level.INFO,
                () -> "The log in " + settings.directory + " has started as peer " + now.self() + " of "
                        + now.servers()
                        + " with " + now.lastIndex() + " entries, of which " + now.appliedIndex()
                        + " are in the state already");
    }

    /** Throws the failure of the state machine, if there is one: it is more precise than the failure of Ratis. */
    private void throwFailure() {
        failure().ifPresent(reason -> {
            throw reason;
        });
    }

    /** Checks that the log was opened, because not every part of Ratis reports that its start failed. */
    private void checkStarted(PeerServer started) throws IOException {
        RaftLog log = failure().isPresent() ? null : started.division().getRaftLog();
        if (log == null || !log.isOpened()) {
            started.close();
            throw new LogFailedException(
                    "The log in " + settings.directory + " did not start; the log messages of org.apache.ratis say why",
                    null);
        }
    }

    private PeerSettings peerSettings() {
        return new PeerSettings(
                settings.directory.resolve("log"),
                settings.cluster,
                settings.self,
                Optional.ofNullable(settings.listen == null ? settings.address : settings.listen),
                settings.newCluster,
                Optional.ofNullable(settings.tls),
                settings.rules,
                settings.options,
                environment,
                machine,
                lease,
                failure -> new Events().failed(failure));
    }

    private void abandon() throws IOException {
        store.close();
        closeEnvironment();
        lock.close();
    }

    public StateStore store() {
        return store;
    }

    public CompletableFuture<Outcome> submit(Command command) {
        return Futures.start(() -> {
            byte[] encoded = codec.encodeCommand(command);
            LogFailures.checkSize(command, encoded.length);
            return submitter
                    .submit(LogEntry.Kind.COMMAND, UnsafeByteOperations.unsafeWrap(encoded))
                    .thenApply(outcome -> outcome.orElseThrow(() -> LogFailures.forgotten(command)));
        });
    }

    /**
     * Returns the state of this peer as soon as this peer has applied all entries that were committed before the call.
     */
    public CompletableFuture<StateReader> readLinearizable() {
        return submitter.submit(LogEntry.Kind.BARRIER, ByteString.EMPTY).thenApply(applied -> store.snapshot());
    }

    public boolean mayAct() {
        return term.mayAct();
    }

    public Runnable onLeadership(LeadershipListener listener) {
        leadership.add(listener);
        return () -> leadership.remove(listener);
    }

    /**
     * Whether this peer holds the leader's lease; false while the server starts, because Ratis may report an election
     * before the start has ended.
     */
    private boolean leaseHeld() {
        return server.isDone()
                && lease.held(server.join().configuration(), server.join().id());
    }

    private boolean alone() {
        return settings.address == null || (server.isDone() && server.join().alone());
    }

    /** Runs a task that writes to the log of the program; leaves it out if the environment was closed. */
    private void writeLine(Runnable line) {
        try {
            environment.executor().execute(line);
        } catch (RejectedExecutionException closed) {
            LOG.log(System.Logger.Level.DEBUG, "A line about a peer was left out, because the environment is closed");
        }
    }

    private Set<RaftPeerId> memberIds() {
        return server.isDone()
                ? server.join().configuration().getAllPeers().stream()
                        .map(RaftPeer::getId)
                        .collect(Collectors.toSet())
                : Set.of();
    }

    public CompletableFuture<Void> addPeer(Peer peer) {
        return membership.add(peer);
    }

    public CompletableFuture<Void> removePeer(PeerId id) {
        return membership.remove(id);
    }

    public CompletableFuture<Void> replacePeer(PeerId old, Peer replacement) {
        return membership.replace(old, replacement);
    }

    public CompletableFuture<Long> takeSnapshot() {
        return machine.snapshotNow();
    }

    /** Returns the role of this peer, and the progress of its log, state and snapshots. */
    public LogStatus status() {
        KnownLeader known = leader;
        return server.join()
                .status(
                        leadership.leading(),
                        name -> Optional.ofNullable(known)
                                .filter(latest -> latest.peer().equals(name))
                                .map(KnownLeader::since),
                        // The state has an entry a moment before the entry counts as applied.
                        Math.max(applied.get(), store.snapshot().index()),
                        machine.snapshots(),
                        submitter.pending());
    }

    public List<Peer> peers() {
        return server.join().peers();
    }

    private Optional<LogFailedException> failure() {
        return failed.isDone() ? Optional.of(failed.join()) : Optional.empty();
    }

    public CompletableFuture<LogFailedException> failed() {
        return failed.copy();
    }

    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        roles.incrementAndGet();
        term.deposed();
        restored.close();
        submitter.end(LogFailures.closedMeanwhile(), new LogClosedException("RatisCommandLog"));
        closeServer(server.join());
        LOG.log(
                System.Logger.Level.INFO,
                () -> "The log in " + settings.directory + " has stopped with " + applied.get()
                        + " entries in its state");
        store.close();
        closeEnvironment();
    }

    private void closeEnvironment() {
        if (settings.environment == null) {
            environment.close();
        }
    }

    private final class Events implements MachineListener {
        @Override
        public void elected() {
            causes.over("leader");
            heard(settings.self.value());
            long role = roles.incrementAndGet();
            var unused = restored.settled().thenRun(() -> {
                if (!closing.get() && roles.get() == role) {
                    term.elected();
                }
            });
        }

        @Override
        public void deposed() {
            roles.incrementAndGet();
            term.deposed();
        }

        @Override
        public void followed(RaftPeerId other) {
            causes.over("leader");
            heard(other.toString());
            LOG.log(System.Logger.Level.INFO, () -> "Peer " + other + " leads now; this peer follows it");
        }

        private void heard(String peer) {
            leader = new KnownLeader(peer, environment.clock().instant());
        }

        @Override
        public void leaderMissing() {
            causes.warn(
                    "leader",
                    "There is no leader, so no command succeeds. A majority of the peers has to run and reach each other;"
                            + " this peer knows the peers " + status().servers());
        }

        @Override
        public void applied(long index) {
            applied.advance(index);
        }

        @Override
        public void checkDue(long index, ByteString digest) {
            if (leadership.leading()) {
                var unused = submitter
                        .submit(LogEntry.Kind.CHECK, CommandStateMachine.checkContent(index, digest))
                        .whenComplete((done, failure) -> logUnchecked(failure));
            }
        }

        private void logUnchecked(Throwable failure) {
            if (failure != null) {
                LOG.log(
                        System.Logger.Level.DEBUG,
                        "The digests of the peers were not compared this time: " + failure.getMessage());
            }
        }

        @Override
        public void failed(LogFailedException failure) {
            LogFailedException reason = mark.vanished(applied.get()).orElse(failure);
            if (!failed.complete(reason)) {
                return;
            }
            roles.incrementAndGet();
            term.deposed();
            restored.close();
            submitter.end(reason, reason);
            var unused = server.thenAcceptAsync(LogProcess.this::stop, environment.executor());
        }
    }

    /** Stops this peer after a failure, so that another peer leads. The state can still be read. */
    private void stop(PeerServer running) {
        LOG.log(
                System.Logger.Level.ERROR,
                "This peer has stopped permanently: " + failed.join().getMessage());
        closeServer(running);
    }

    /** Closes the server. A second caller waits until the files are closed. */
    private synchronized void closeServer(PeerServer running) {
        try {
            running.close();
            if (closing.get()) {
                lock.close();
            }
        } catch (IOException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "The log in " + settings.directory + " was not closed in order: " + e.getMessage()
                            + ". Nothing is lost; the next start repairs it");
        }
    }
}
