package io.csi4j.replication.ratis.internal.simulation;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.state.ObservableState;
import io.csi4j.replication.ratis.RatisLogOptions;
import io.csi4j.replication.ratis.internal.machine.LogEntry;
import io.csi4j.replication.ratis.internal.machine.LogEntry.Kind;
import io.csi4j.replication.ratis.internal.simulation.ModelPeer.Stored;
import io.csi4j.simulation.LogUnderTest;
import io.csi4j.simulation.LogUnderTest.RunningLog;
import io.csi4j.simulation.LogUnderTest.Site;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.CommandCodec;
import io.csi4j.state.StateStore;
import io.csi4j.state.StateStoreOptions;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.jspecify.annotations.Nullable;

/**
 * Three peers in one thread and in virtual time. Encoding, state machine, snapshots, sessions, submission and lease are the
 * real ones; Ratis is a model ({@link ModelPeer}). Messages and answers are lost, peers crash and start again from their
 * snapshot and log, peers are cut off in one or both directions, and the leadership moves.
 */
final class SimulatedLog implements RunningLog {
    static final int PEERS = 3;
    static final String[] NAMES = {"a", "b", "c"};
    static final RatisLogOptions OPTIONS = RatisLogOptions.builder()
            .electionTimeout(Duration.ofSeconds(6))
            .submitTimeout(Duration.ofSeconds(45))
            .checkInterval(7)
            .build();
    private static final Duration MESSAGE = Duration.ofMillis(3);
    private static final Duration REPLY_TIMEOUT = OPTIONS.electionTimeout().multipliedBy(3);
    private static final Duration FAULTS = Duration.ofSeconds(25);
    private static final double LOST = 0.02;

    private final Site site;
    private final Path directory;
    private final SplittableRandom random;
    private final Consumer<String> events;
    private final List<ModelPeer> peers = new ArrayList<>();
    private final List<PeerRun> runs = new ArrayList<>();
    private final boolean[][] cut = new boolean[PEERS][PEERS];
    private final Set<Integer> acting = new TreeSet<>();
    private final CommandCodec codec;
    private final long hostOrigin;
    private long hostNumber;
    private boolean atOnce;

    /** The committed entries, from the index 1 on. */
    private final List<Stored> history = new ArrayList<>();

    private final Map<Submission, Command> commands = new HashMap<>();
    private final Map<Submission, Outcome> outcomes = new HashMap<>();
    private final Map<Long, Long> answered = new HashMap<>();

    /** The identity of a submitted command. */
    private record Submission(long origin, long number) {
        static Submission of(LogEntry entry) {
            return new Submission(entry.origin(), entry.number());
        }
    }

    private SimulatedLog(Site site, Path directory, Consumer<String> events) throws IOException {
        this.site = site;
        this.directory = directory;
        this.events = events;
        this.random = site.random();
        this.hostOrigin = random.nextLong();
        this.codec = CommandCodec.of(StateStoreOptions.builder()
                .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                .build());
        for (int peer = 0; peer < PEERS; peer++) {
            peers.add(new ModelPeer(this, peer, directory.resolve(NAMES[peer]), random.split()));
        }
        peers.forEach(this::start);
        site.after(upTo(FAULTS), this::fail);
    }

    /**
     * Returns a log for a simulation.
     *
     * @param root where each run creates a directory, which it deletes at its end
     * @param events receives the name of each event of the log
     */
    static LogUnderTest in(Path root, Consumer<String> events) {
        return site -> {
            try {
                return new SimulatedLog(site, Files.createTempDirectory(root, "run"), events);
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        };
    }

    Site site() {
        return site;
    }

    Duration now() {
        return site.elapsed();
    }

    void count(String event) {
        events.accept(event);
    }

    private Duration upTo(Duration max) {
        return Duration.ofNanos(random.nextLong(max.toNanos() + 1));
    }

    List<ModelPeer> others(ModelPeer peer) {
        return peers.stream().filter(other -> other != peer).toList();
    }

    private void start(ModelPeer peer) {
        if (!peer.runs()) {
            peer.start();
            runs.add(peer.run());
        }
    }

    // --- The network.

    private boolean reaches(ModelPeer from, ModelPeer to) {
        return to.runs() && !cut[from.number][to.number];
    }

    /** Delivers a message after a while, unless it is lost. */
    void message(ModelPeer from, ModelPeer to, Runnable delivery) {
        if (atOnce) {
            delivery.run();
            return;
        }
        PeerRun target = to.runs() ? to.run() : null;
        if (target == null || (site.faults() && random.nextDouble() < LOST)) {
            return;
        }
        site.after(upTo(MESSAGE), () -> {
            if (reaches(from, to) && to.run() == target) {
                delivery.run();
            }
        });
    }

    /** Runs a task whose messages are delivered at once. */
    void atOnce(Runnable task) {
        boolean before = atOnce;
        atOnce = true;
        task.run();
        atOnce = before;
    }

    /** Sends an entry from a peer to the leader that it knows. */
    CompletableFuture<RaftClientReply> send(ModelPeer from, ByteString content) {
        CompletableFuture<RaftClientReply> reply = new CompletableFuture<>();
        int leader = from.leader();
        if (leader < 0) {
            reply.completeExceptionally(new TimeoutException("no leader is known"));
            return reply;
        }
        ModelPeer to = peers.get(leader);
        if (to == from) {
            to.submit(content, reply);
        } else {
            message(from, to, () -> {
                CompletableFuture<RaftClientReply> remote = new CompletableFuture<>();
                var unused = remote.whenComplete((done, failure) -> message(to, from, () -> {
                    if (failure == null) {
                        reply.complete(done);
                    } else {
                        reply.completeExceptionally(failure);
                    }
                }));
                to.submit(content, remote);
            });
        }
        site.after(REPLY_TIMEOUT, () -> reply.completeExceptionally(new TimeoutException("no answer")));
        if (site.faults() && random.nextInt(20) == 0) {
            count("answer lost");
            site.after(upTo(MESSAGE.multipliedBy(4)), () -> reply.completeExceptionally(new TimeoutException("lost")));
        }
        return reply;
    }

    // --- Faults. At most one peer fails at a time, unless all lose power.

    private boolean whole() {
        for (boolean[] row : cut) {
            for (boolean one : row) {
                if (one) {
                    return false;
                }
            }
        }
        return peers.stream().allMatch(ModelPeer::runs);
    }

    private void fail() {
        if (!site.faults()) {
            return;
        }
        site.after(upTo(FAULTS), this::fail);
        if (!whole()) {
            return;
        }
        ModelPeer any = peers.get(random.nextInt(PEERS));
        ModelPeer leader = peers.stream().filter(ModelPeer::leads).findFirst().orElse(any);
        switch (random.nextInt(9)) {
            case 0 -> crash(any);
            case 1 -> crash(leader);
            case 2 -> cutOff(leader, true, true);
            case 3 -> cutOff(leader, true, false);
            case 4 -> cutOff(leader, false, true);
            case 5 -> cutOff(any, random.nextBoolean(), true);
            case 6 -> {
                note("all peers lose power");
                peers.forEach(ModelPeer::crash);
                peers.forEach(this::start);
            }
            case 7 -> {
                note("leadership is transferred");
                others(leader).get(0).campaign();
            }
            default -> {
                PeerRun victim = leader.run();
                victim.server.crashAt(1 + random.nextInt(20), random.nextBoolean(), () -> {
                    if (leader.runs() && leader.run() == victim) {
                        crash(leader);
                    }
                });
            }
        }
    }

    private void note(String fault) {
        count(fault);
        site.note(fault);
    }

    private void crash(ModelPeer peer) {
        note("a peer crashes");
        peer.crash();
        site.after(upTo(FAULTS.multipliedBy(2)), () -> start(peer));
    }

    private void cutOff(ModelPeer peer, boolean in, boolean out) {
        note("a peer " + (in && out ? "is cut off" : in ? "hears nothing" : "sends nothing"));
        for (ModelPeer other : others(peer)) {
            cut[other.number][peer.number] = in;
            cut[peer.number][other.number] = out;
        }
        site.after(upTo(FAULTS.multipliedBy(2)), this::heal);
    }

    private void heal() {
        for (boolean[] row : cut) {
            Arrays.fill(row, false);
        }
    }

    @Override
    public void settle() {
        heal();
        peers.forEach(this::start);
        peers.forEach(peer -> peer.run().server.crashAt(0, false, () -> {}));
    }

    // --- What is checked.

    /** Notes that the engine of a peer acts, or stops to. */
    void acts(ModelPeer peer, boolean now) {
        if (!now) {
            acting.remove(peer.number);
            return;
        }
        count("an engine starts to lead");
        if (!acting.isEmpty()) {
            site.violation("lease: the engine of " + NAMES[peer.number] + " starts while another one acts");
        }
        acting.add(peer.number);
    }

    void submitted(LogEntry entry, Command command) {
        commands.putIfAbsent(Submission.of(entry), command);
    }

    /** Checks an answer that a server got. */
    void answered(@Nullable LogEntry entry, @Nullable Outcome outcome) {
        if (outcome == null) {
            return;
        }
        if (entry == null || !outcome.equals(outcomes.get(Submission.of(entry)))) {
            site.violation("log: the answer to " + entry + " is not the outcome of the committed command");
        }
    }

    /** Notes that a leader has committed an entry. */
    void committed(ModelPeer leader, long index, Stored stored) {
        if (index <= history.size()) {
            checkApplied(leader, index, stored);
            return;
        }
        history.add(stored);
        try {
            LogEntryProto proto = LogEntryProto.parseFrom(stored.bytes());
            if (proto.hasStateMachineLogEntry()) {
                committed(
                        index,
                        LogEntry.decode(
                                proto.getStateMachineLogEntry().getLogData().asReadOnlyByteBuffer()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void committed(long index, LogEntry entry) {
        if (entry.kind() != Kind.COMMAND) {
            return;
        }
        Submission submission = Submission.of(entry);
        if (outcomes.containsKey(submission) || entry.number() < answered.getOrDefault(entry.origin(), 0L)) {
            count("entry repeated");
            return;
        }
        answered.merge(entry.origin(), entry.answered(), Math::max);
        // The command itself and not the decoded one, so that a defect of the encoding is a difference of the states.
        outcomes.put(submission, site.committed(index, commands.get(submission)));
    }

    /** Checks that a peer applies the committed entry. */
    void checkApplied(ModelPeer peer, long index, Stored stored) {
        if (index > history.size() || !history.get((int) index - 1).equals(stored)) {
            throw new IllegalStateException("the model is wrong: " + NAMES[peer.number] + " has another entry at "
                    + index + " of " + history.size());
        }
    }

    /** Compares the states of all peers, after each has applied everything. */
    @Override
    public void compare(ObservableState state) {
        settle();
        ModelPeer leader = leaderNow(peers);
        atOnce(() -> leader.commitNow(peers));
        byte[] expected = encoded((StateStore) state);
        for (ModelPeer peer : peers) {
            peer.catchUp(history.size());
            if (peer.run().lastApplied() != history.size() || !Arrays.equals(expected, encoded(peer.run().store))) {
                site.violation("I9: the state of peer " + NAMES[peer.number] + " differs, at index "
                        + peer.run().lastApplied() + " of " + history.size());
            }
        }
    }

    private static byte[] encoded(StateStore store) {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            store.encode(bytes);
            return bytes.toByteArray();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    // --- Commands of the host.

    @Override
    public Outcome submit(Command command) {
        hostNumber++;
        LogEntry entry = new LogEntry(
                Kind.COMMAND,
                hostOrigin,
                hostNumber,
                hostNumber,
                UnsafeByteOperations.unsafeWrap(codec.encodeCommand(command)));
        submitted(entry, command);
        List<ModelPeer> group = group();
        ModelPeer leader = leaderNow(group);
        leader.submitNow(entry.encode(), group);
        return outcomes.get(Submission.of(entry));
    }

    /** Returns a majority whose peers reach each other. Repairs the log if there is none. */
    private List<ModelPeer> group() {
        for (ModelPeer one : peers) {
            for (ModelPeer other : others(one)) {
                if (one.runs() && reaches(one, other) && reaches(other, one)) {
                    List<ModelPeer> group = new ArrayList<>(List.of(one, other));
                    others(one).stream()
                            .filter(third -> third != other)
                            .filter(third ->
                                    group.stream().allMatch(peer -> reaches(peer, third) && reaches(third, peer)))
                            .findFirst()
                            .ifPresent(group::add);
                    return group;
                }
            }
        }
        heal();
        peers.forEach(this::start);
        return peers;
    }

    /** Returns the leader, which is in the group and elected by it. Elects one if there is none. */
    private ModelPeer leaderNow(List<ModelPeer> group) {
        long term = group.stream().mapToLong(ModelPeer::term).max().orElseThrow();
        return group.stream()
                .filter(peer -> peer.leads() && peer.term() == term)
                .findFirst()
                .orElseGet(() -> {
                    ModelPeer best = group.get(0);
                    for (ModelPeer peer : group) {
                        best = peer.newerThan(best) ? peer : best;
                    }
                    ModelPeer elected = best;
                    elected.becomeLeaderNow(group);
                    return elected;
                });
    }

    @Override
    public void close() {
        runs.forEach(PeerRun::close);
        try (Stream<Path> files = Files.walk(directory)) {
            for (Path file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.delete(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
