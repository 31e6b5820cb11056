package io.csi4j.replication.ratis.internal.simulation;

import io.csi4j.replication.ratis.internal.lead.FakeAppender;
import io.csi4j.replication.ratis.internal.lead.FakeLeaderState;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SortedMap;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.proto.RaftProtos.AppendEntriesReplyProto.AppendResult;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.proto.RaftProtos.StateMachineLogEntryProto;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.statemachine.SnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.InvalidProtocolBufferException;
import org.jspecify.annotations.Nullable;

/**
 * A model of what Ratis does in one peer: the log on its disk, elections, and the replication of entries by the rules of Raft.
 * The rest of the peer is real ({@link PeerRun}).
 */
final class ModelPeer {
    private static final Duration ELECTION = SimulatedLog.OPTIONS.electionTimeout();
    private static final Duration TICK = ELECTION.dividedBy(4);
    private static final Duration FLUSH = Duration.ofMillis(5);
    private static final Duration APPLY = Duration.ofMillis(2);
    private static final int ENTRIES_PER_MESSAGE = 40;
    private static final int SNAPSHOT_INTERVAL = 50;

    /** An entry as it is on disk. */
    record Stored(long term, ByteString bytes) {}

    /** The progress of one follower, as the leader knows it. */
    private static final class Follower {
        final FakeAppender appender;
        long next;
        long match;
        Duration answered;

        Follower(String name, long next, Duration now) {
            this.appender = new FakeAppender(name);
            this.next = next;
            this.answered = now;
        }
    }

    private record Pending(long term, CompletableFuture<RaftClientReply> reply) {}

    final int number;
    private final SimulatedLog cluster;
    private final SplittableRandom random;
    private final SimulatedStorage storage;

    // On disk. Entries above `flushed` may be lost in a crash.
    private long term;
    private int votedFor = -1;
    private long base;
    private long baseTerm;
    private final List<Stored> entries = new ArrayList<>();
    private long flushed;

    // In memory.
    private @Nullable PeerRun run;
    private boolean leads;
    private int leader = -1;
    private int votes;
    private long commit;
    private long firstOfTerm;
    private Duration heard = Duration.ZERO;
    private Duration patience = ELECTION;
    private boolean applying;
    private final Follower[] followers = new Follower[SimulatedLog.PEERS];
    private final SortedMap<Long, Pending> pending = new TreeMap<>();

    ModelPeer(SimulatedLog cluster, int number, Path directory, SplittableRandom random) throws IOException {
        this.cluster = cluster;
        this.number = number;
        this.random = random;
        this.storage = SimulatedStorage.in(directory);
    }

    boolean runs() {
        return run != null;
    }

    boolean leads() {
        return leads;
    }

    long term() {
        return term;
    }

    PeerRun run() {
        return Objects.requireNonNull(run, "runs");
    }

    void start() {
        run = new PeerRun(cluster, this, storage);
        commit = run.lastApplied();
        if (commit > last()) {
            entries.clear();
            base = commit;
            baseTerm = run.machine.getLastAppliedTermIndex().getTerm();
            flushed = base;
        }
        heard = cluster.now();
        applying = false;
        tick(run);
    }

    void crash() {
        PeerRun crashed = run();
        run = null;
        leads = false;
        leader = -1;
        pending.clear();
        cluster.acts(this, false);
        crashed.server.crash();
        crashed.machine.close();
        long kept = flushed + (last() > flushed ? random.nextLong(last() - flushed + 1) : 0);
        cut(kept);
        flushed = last();
    }

    // --- The log.

    long last() {
        return base + entries.size();
    }

    private long termAt(long index) {
        return index == base ? baseTerm : entries.get((int) (index - base - 1)).term();
    }

    Stored at(long index) {
        return entries.get((int) (index - base - 1));
    }

    /** Removes the entries above an index. */
    private void cut(long index) {
        while (last() > index) {
            entries.remove(entries.size() - 1);
        }
        flushed = Math.min(flushed, last());
    }

    private void flush(PeerRun of, long index, Runnable then) {
        long flushedTerm = termAt(index);
        cluster.site().after(upTo(FLUSH), () -> {
            if (run == of && index >= base && index <= last() && termAt(index) == flushedTerm) {
                flushed = Math.max(flushed, index);
                then.run();
            }
        });
    }

    private Duration upTo(Duration max) {
        return Duration.ofNanos(random.nextLong(max.toNanos() + 1));
    }

    private long append(@Nullable ByteString content) {
        LogEntryProto.Builder entry = LogEntryProto.newBuilder().setTerm(term).setIndex(last() + 1);
        if (content != null) {
            entry.setStateMachineLogEntry(StateMachineLogEntryProto.newBuilder().setLogData(content));
        }
        entries.add(new Stored(term, entry.build().toByteString()));
        return last();
    }

    // --- Elections.

    private void tick(PeerRun of) {
        if (run != of) {
            return;
        }
        Duration now = cluster.now();
        if (leads) {
            long reached = 1;
            for (Follower follower : followers) {
                if (follower != null
                        && now.minus(follower.answered)
                                        .compareTo(ELECTION.multipliedBy(3).dividedBy(2))
                                < 0) {
                    reached++;
                }
            }
            if (2 * reached <= SimulatedLog.PEERS) {
                stepDown();
            } else {
                sendAll();
            }
        } else if (now.minus(heard).compareTo(patience) > 0) {
            campaign();
        }
        cluster.site().after(TICK, () -> tick(of));
    }

    void campaign() {
        stepDown();
        term++;
        votedFor = number;
        votes = 1;
        leader = -1;
        heard = cluster.now();
        patience = ELECTION.plus(upTo(ELECTION.dividedBy(2)));
        long asked = term;
        long index = last();
        long lastTerm = termAt(index);
        for (ModelPeer other : cluster.others(this)) {
            cluster.message(this, other, () -> other.vote(this, asked, index, lastTerm));
        }
    }

    private void vote(ModelPeer candidate, long asked, long index, long lastTerm) {
        observe(asked);
        boolean current = lastTerm > termAt(last()) || (lastTerm == termAt(last()) && index >= last());
        if (asked == term && !leads && current && (votedFor < 0 || votedFor == candidate.number)) {
            votedFor = candidate.number;
            heard = cluster.now();
            cluster.message(this, candidate, () -> candidate.voted(asked));
        }
    }

    private void voted(long asked) {
        if (asked == term && votedFor == number && !leads) {
            votes++;
            if (2 * votes > SimulatedLog.PEERS) {
                becomeLeader();
            }
        }
    }

    private void becomeLeader() {
        leads = true;
        leader = number;
        FakeLeaderState state = new FakeLeaderState();
        for (ModelPeer other : cluster.others(this)) {
            Follower follower = new Follower(SimulatedLog.NAMES[other.number], last() + 1, cluster.now());
            followers[other.number] = follower;
            run().lease.add(state, follower.appender);
        }
        firstOfTerm = append(null);
        flush(run(), last(), this::advanceCommit);
        sendAll();
    }

    /** Makes this peer the leader at once, with the votes of the given peers, which reach each other. */
    void becomeLeaderNow(List<ModelPeer> voters) {
        long next = voters.stream().mapToLong(ModelPeer::term).max().orElseThrow() + 1;
        voters.forEach(voter -> {
            voter.observe(next);
            voter.votedFor = number;
            voter.heard = cluster.now();
        });
        becomeLeader();
    }

    boolean newerThan(ModelPeer other) {
        long mine = termAt(last());
        long others = other.termAt(other.last());
        return mine > others || (mine == others && last() > other.last());
    }

    private void observe(long seen) {
        if (seen > term) {
            term = seen;
            votedFor = -1;
            stepDown();
        }
    }

    private void stepDown() {
        if (leads) {
            leads = false;
            leader = -1;
            votes = -SimulatedLog.PEERS;
            heard = cluster.now();
            run().machine.notifyNotLeader(List.of());
            pending.values()
                    .forEach(one -> one.reply().completeExceptionally(new TimeoutException("no leader any more")));
            pending.clear();
        }
    }

    // --- Replication.

    void sendAll() {
        for (ModelPeer other : cluster.others(this)) {
            send(other);
        }
    }

    private void send(ModelPeer to) {
        Follower follower = followers[to.number];
        long call = follower.appender.nextCall++;
        long sentTerm = term;
        if (follower.next <= base) {
            sendSnapshot(to, follower, call);
            return;
        }
        long previous = follower.next - 1;
        long previousTerm = termAt(previous);
        int first = (int) (previous - base);
        List<Stored> some = List.copyOf(entries.subList(first, Math.min(entries.size(), first + ENTRIES_PER_MESSAGE)));
        long committed = commit;
        cluster.message(
                this, to, () -> to.accept(this, follower, call, sentTerm, previous, previousTerm, some, committed));
    }

    private void accept(
            ModelPeer from,
            Follower follower,
            long call,
            long sentTerm,
            long previous,
            long previousTerm,
            List<Stored> some,
            long committed) {
        observe(sentTerm);
        if (sentTerm < term) {
            reply(from, follower, call, AppendResult.NOT_LEADER, 0);
            return;
        }
        leader = from.number;
        heard = cluster.now();
        if (previous > last() || (previous >= base && termAt(previous) != previousTerm)) {
            reply(from, follower, call, AppendResult.INCONSISTENCY, Math.min(last() + 1, Math.max(previous, base + 1)));
            return;
        }
        long target = previous;
        boolean added = false;
        for (Stored entry : some) {
            target++;
            if (target <= base) {
                continue;
            }
            if (target <= last() && termAt(target) != entry.term()) {
                cut(target - 1);
            }
            if (target > last()) {
                entries.add(entry);
                added = true;
            }
        }
        long matched = target;
        commit = Math.max(commit, Math.min(committed, matched));
        applySoon();
        if (added) {
            flush(run(), matched, () -> reply(from, follower, call, AppendResult.SUCCESS, matched));
        } else {
            reply(from, follower, call, AppendResult.SUCCESS, Math.min(matched, flushed));
        }
    }

    private void reply(ModelPeer to, Follower follower, long call, AppendResult result, long index) {
        long mine = term;
        cluster.message(this, to, () -> to.replied(number, follower, call, mine, result, index));
    }

    private void replied(int from, Follower follower, long call, long seen, AppendResult result, long index) {
        observe(seen);
        if (!leads || followers[from] != follower) {
            return;
        }
        follower.answered = cluster.now();
        run().lease.answered(follower.appender, FakeAppender.reply(call, result));
        if (result == AppendResult.SUCCESS) {
            follower.match = Math.max(follower.match, index);
            follower.next = Math.max(follower.next, follower.match + 1);
            advanceCommit();
        } else if (result == AppendResult.INCONSISTENCY) {
            follower.next = Math.max(follower.match + 1, Math.min(index, follower.next));
        }
    }

    private void advanceCommit() {
        for (long index = last(); leads && index > commit && termAt(index) == term; index--) {
            int count = flushed >= index ? 1 : 0;
            for (Follower follower : followers) {
                count += follower != null && follower.match >= index ? 1 : 0;
            }
            if (2 * count > SimulatedLog.PEERS) {
                for (long next = commit + 1; next <= index; next++) {
                    cluster.committed(this, next, at(next));
                }
                commit = index;
                applySoon();
                return;
            }
        }
    }

    private void sendSnapshot(ModelPeer to, Follower follower, long call) {
        SnapshotInfo snapshot = run().machine.getLatestSnapshot();
        Path file = snapshot.getFiles().get(0).getPath();
        long sentTerm = term;
        cluster.message(this, to, () -> {
            if (Files.exists(file)) {
                to.install(this, follower, call, sentTerm, file, snapshot.getIndex(), snapshot.getTerm());
            }
        });
    }

    private void install(
            ModelPeer from, Follower follower, long call, long sentTerm, Path file, long index, long entryTerm) {
        observe(sentTerm);
        if (sentTerm < term || index <= run().lastApplied()) {
            reply(from, follower, call, AppendResult.SUCCESS, sentTerm < term ? 0 : Math.min(index, flushed));
            return;
        }
        leader = from.number;
        heard = cluster.now();
        try {
            run().machine.pause();
            for (String suffix : new String[] {"", ".md5"}) {
                Path name = Path.of(file + suffix);
                Files.copy(
                        name,
                        storage.snapshots().resolve(String.valueOf(name.getFileName())),
                        StandardCopyOption.REPLACE_EXISTING);
            }
            run().machine.reinitialize();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        cluster.count("snapshot sent to a follower");
        if (index <= last() && index >= base && termAt(index) == entryTerm) {
            purge(index);
        } else {
            entries.clear();
            base = index;
            baseTerm = entryTerm;
        }
        flushed = Math.max(flushed, index);
        flushed = Math.min(flushed, last());
        commit = Math.max(commit, index);
        reply(from, follower, call, AppendResult.SUCCESS, index);
    }

    private void purge(long upTo) {
        if (upTo > base) {
            long removedTerm = termAt(upTo);
            entries.subList(0, (int) (upTo - base)).clear();
            base = upTo;
            baseTerm = removedTerm;
            flushed = Math.max(flushed, base);
        }
    }

    // --- Application.

    private void applySoon() {
        if (!applying && run().lastApplied() < Math.min(commit, last())) {
            applying = true;
            PeerRun of = run();
            cluster.site().after(upTo(APPLY), () -> {
                if (run == of) {
                    applying = false;
                    applyUntil(random.nextInt(4) == 0 ? Math.min(commit, of.lastApplied() + 1) : commit);
                    applySoon();
                }
            });
        }
    }

    void applyUntil(long index) {
        for (long next = run().lastApplied() + 1; next <= Math.min(index, last()); next++) {
            cluster.checkApplied(this, next, at(next));
            run().apply(parsed(at(next)));
            Pending waiting = pending.remove(next);
            if (waiting != null) {
                waiting.reply().complete(success(next));
            }
            if (leads && next == firstOfTerm) {
                run().machine.notifyLeaderReady();
            }
        }
        SnapshotInfo snapshot = run().machine.getLatestSnapshot();
        long since = snapshot == null ? 0 : snapshot.getIndex();
        if (run().lastApplied() - since >= SNAPSHOT_INTERVAL + random.nextInt(SNAPSHOT_INTERVAL)) {
            long taken = run().machine.snapshotNow().join();
            cluster.count("snapshot");
            purge(Math.max(base, taken - random.nextInt(SNAPSHOT_INTERVAL)));
        }
    }

    private static LogEntryProto parsed(Stored stored) {
        try {
            return LogEntryProto.parseFrom(stored.bytes());
        } catch (InvalidProtocolBufferException e) {
            throw new IllegalStateException(e);
        }
    }

    private RaftClientReply success(long index) {
        return RaftClientReply.newBuilder()
                .setClientId(ClientId.emptyClientId())
                .setServerId(RaftPeerId.valueOf(SimulatedLog.NAMES[number]))
                .setGroupId(RaftGroupId.emptyGroupId())
                .setLogIndex(index)
                .setSuccess()
                .setMessage(Message.EMPTY)
                .build();
    }

    // --- Commands.

    int leader() {
        return leader;
    }

    /** Adds an entry of a client to the log of this leader. */
    void submit(ByteString content, CompletableFuture<RaftClientReply> reply) {
        if (!leads) {
            reply.completeExceptionally(new TimeoutException("not the leader"));
            return;
        }
        long index = append(content);
        pending.put(index, new Pending(term, reply));
        flush(run(), index, this::advanceCommit);
        sendAll();
    }

    /** Adds an entry and commits it before this method returns, with the help of the given peers. */
    void submitNow(ByteString content, List<ModelPeer> voters) {
        append(content);
        commitNow(voters);
    }

    /** Brings all entries to the given peers, and commits and applies them here. */
    void commitNow(List<ModelPeer> voters) {
        flushed = last();
        for (ModelPeer voter : voters) {
            if (voter == this) {
                continue;
            }
            Follower follower = followers[voter.number];
            while (follower.match < last()) {
                cluster.atOnce(() -> send(voter));
                voter.flushed = voter.last();
                follower.match = Math.max(follower.match, voter.agreesUpTo(this));
                follower.next = Math.max(follower.next, follower.match + 1);
            }
        }
        advanceCommit();
        applyUntil(commit);
    }

    /** Returns the index up to which the log of this peer equals the one of a leader. */
    private long agreesUpTo(ModelPeer leading) {
        long index = Math.min(last(), leading.last());
        while (index > Math.max(base, leading.base) && termAt(index) != leading.termAt(index)) {
            index--;
        }
        return index >= Math.max(base, leading.base) && termAt(index) == leading.termAt(index) ? index : 0;
    }

    void catchUp(long index) {
        commit = Math.max(commit, Math.min(index, last()));
        applyUntil(commit);
    }
}
