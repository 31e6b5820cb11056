package io.csi4j.replication.ratis.internal.simulation;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.replication.Leadership;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.core.state.ObservableState;
import io.csi4j.replication.ratis.internal.files.SkippedEntries;
import io.csi4j.replication.ratis.internal.lead.FakePeers;
import io.csi4j.replication.ratis.internal.lead.LeaderLease;
import io.csi4j.replication.ratis.internal.lead.LeaderTerm;
import io.csi4j.replication.ratis.internal.lead.LeaderTerm.LeaseTimes;
import io.csi4j.replication.ratis.internal.lead.PeerContacts;
import io.csi4j.replication.ratis.internal.machine.CommandStateMachine;
import io.csi4j.replication.ratis.internal.machine.EntryRefusedException;
import io.csi4j.replication.ratis.internal.machine.LogEntry;
import io.csi4j.replication.ratis.internal.machine.MachineListener;
import io.csi4j.replication.ratis.internal.submit.AppliedIndex;
import io.csi4j.replication.ratis.internal.submit.Submitter;
import io.csi4j.simulation.LogUnderTest.Server;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.CommandCodec;
import io.csi4j.state.StateStore;
import io.csi4j.state.StateStoreOptions;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.Proxy;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.RaftPeerRole;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;

/** One run of a peer's process, from its start to its crash: the real parts of the log, connected as the log connects them. */
final class PeerRun implements CommandLog {
    private final SimulatedLog cluster;
    private final ModelPeer peer;
    final Server server;
    final StateStore store;
    final CommandStateMachine machine;
    final LeaderLease lease;
    private final CommandCodec codec;
    private final AppliedIndex applied = new AppliedIndex();
    private final Leadership leadership;
    private final LeaderTerm term;
    private final Submitter submitter;
    /** The command that is being submitted; its first entry shows its origin and number. */
    private @Nullable Command submitting;

    PeerRun(SimulatedLog cluster, ModelPeer peer, SimulatedStorage storage) {
        this.cluster = cluster;
        this.peer = peer;
        this.server = cluster.site().newServer();
        StateStoreOptions options = StateStoreOptions.builder()
                .watchExecutor(cluster.site().executor())
                .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                .build();
        this.store = StateStore.create(options);
        this.codec = CommandCodec.of(options);
        Environment environment = server.environment();
        this.leadership = new Leadership(environment.executor());
        LeaseTimes times = LeaseTimes.of(SimulatedLog.OPTIONS.electionTimeout());
        this.lease = new LeaderLease(times.lease(), this::nanos);
        FakePeers peers = FakePeers.of(SimulatedLog.NAMES);
        RaftPeerId self = RaftPeerId.valueOf(SimulatedLog.NAMES[peer.number]);
        this.term = new LeaderTerm(
                environment.timer(),
                this::nanos,
                leadership,
                lease,
                () -> lease.held(peers, self),
                () -> false,
                times,
                new PeerContacts(lease, Set::of, Runnable::run, environment.clock()));
        this.machine = new CommandStateMachine(
                store,
                codec,
                new SkippedEntries(Path.of("skip-entries"), Set.of()),
                SimulatedLog.OPTIONS.checkInterval(),
                new Events());
        this.submitter =
                new Submitter(this::send, new Failures(), applied, machine::outcome, environment, SimulatedLog.OPTIONS);
        try {
            machine.initialize(ratisServer(self), RaftGroupId.emptyGroupId(), storage);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        leadership.add(new LeadershipListener() {
            @Override
            public void startLeading() {
                cluster.acts(peer, true);
                server.startLeading();
            }

            @Override
            public void stopLeading() {
                cluster.acts(peer, false);
                server.stopLeading();
            }
        });
        server.open(this);
    }

    /** Ratis' server, of which the state machine reads the id only. */
    private static RaftServer ratisServer(RaftPeerId self) {
        return (RaftServer) Proxy.newProxyInstance(
                PeerRun.class.getClassLoader(), new Class<?>[] {RaftServer.class}, (proxy, method, arguments) -> {
                    if (method.getName().equals("getId")) {
                        return self;
                    }
                    throw new UnsupportedOperationException(method.getName());
                });
    }

    private long nanos() {
        return cluster.site().elapsed().toNanos();
    }

    /** Returns the index of the last entry that is in the state. */
    long lastApplied() {
        var position = machine.getLastAppliedTermIndex();
        return position == null ? 0 : Math.max(0, position.getIndex());
    }

    /** Applies an entry as Ratis does. */
    void apply(LogEntryProto entry) {
        if (!entry.hasStateMachineLogEntry()) {
            machine.notifyTermIndexUpdated(entry.getTerm(), entry.getIndex());
            return;
        }
        var unused = machine.applyTransaction(TransactionContext.newBuilder()
                .setServerRole(RaftPeerRole.FOLLOWER)
                .setStateMachine(machine)
                .setLogEntry(entry)
                .build());
    }

    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        return Futures.start(() -> {
            byte[] encoded = codec.encodeCommand(command);
            submitting = command;
            try {
                CompletableFuture<LogEntry> entry = new CompletableFuture<>();
                sentEntry = entry;
                return submitter
                        .submit(LogEntry.Kind.COMMAND, UnsafeByteOperations.unsafeWrap(encoded))
                        .thenApply(outcome -> outcome.orElseThrow(() -> new CsiException("the outcome is forgotten")))
                        .whenComplete((outcome, failure) -> cluster.answered(entry.getNow(null), outcome));
            } finally {
                submitting = null;
            }
        });
    }

    private CompletableFuture<LogEntry> sentEntry = new CompletableFuture<>();

    private CompletableFuture<RaftClientReply> send(Message message) {
        Command command = submitting;
        if (command != null) {
            submitting = null;
            LogEntry entry = LogEntry.decode(message.getContent().asReadOnlyByteBuffer());
            cluster.submitted(entry, command);
            sentEntry.complete(entry);
        }
        return cluster.send(peer, message.getContent());
    }

    @Override
    public ObservableState state() {
        return store;
    }

    void close() {
        machine.close();
        store.close();
    }

    private final class Events implements MachineListener {
        @Override
        public void elected() {
            term.elected();
        }

        @Override
        public void deposed() {
            term.deposed();
        }

        @Override
        public void followed(RaftPeerId leader) {
            // Only the log of the process shows it.
        }

        @Override
        public void leaderMissing() {
            // Only the log of the process shows it.
        }

        @Override
        public void applied(long index) {
            applied.advance(index);
        }

        @Override
        public void checkDue(long index, ByteString digest) {
            if (leadership.leading()) {
                var unused = submitter.submit(LogEntry.Kind.CHECK, CommandStateMachine.checkContent(index, digest));
            }
        }

        @Override
        public void failed(LogFailedException failure) {
            cluster.site().violation("log: " + SimulatedLog.NAMES[peer.number] + " stopped: " + failure.getMessage());
        }
    }

    private static final class Failures implements Submitter.Failures {
        @Override
        public RuntimeException overloaded(String pending) {
            return new CsiException("too many commands: " + pending);
        }

        @Override
        public RuntimeException unanswered(@Nullable Throwable lastFailure) {
            return new CsiException(
                    "the command was not answered; it may have been applied, or may still be", lastFailure);
        }

        @Override
        public RuntimeException refused(EntryRefusedException reason) {
            return new CsiException("the command was refused: " + reason.getMessage(), reason);
        }
    }
}
