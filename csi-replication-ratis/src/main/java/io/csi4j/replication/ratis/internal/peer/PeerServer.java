package io.csi4j.replication.ratis.internal.peer;

import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.replication.PendingLimit;
import io.csi4j.core.spi.LogDetails;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.replication.ratis.Peer;
import io.csi4j.replication.ratis.internal.files.DirectoryMark.LogName;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest.Arguments;
import org.apache.ratis.protocol.SetConfigurationRequest.Mode;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.server.DivisionInfo;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.raftlog.RaftLog;
import org.jspecify.annotations.Nullable;

/** The Ratis server of a peer, and its connections to the leader. Thread-safe. */
public final class PeerServer implements AutoCloseable {
    /**
     * The greatest length of an encoded command in bytes. The log entry is a bit longer, because it also has a head.
     */
    public static final int LONGEST_COMMAND = RatisSettings.LONGEST_ENTRY - (1 << 12);

    private final RaftServer server;
    private final OwnLog log;
    private final RatisThreads threads;
    private final @Nullable RemotePeers others;
    private final @Nullable PeerTls tls;

    /**
     * Creates a peer from its parts.
     *
     * @param server the running server
     * @param log the log of the server
     * @param threads the threads of the server
     * @param others sends to the other peers; null: the peer runs alone
     * @param tls the certificates; null: there are none
     */
    PeerServer(
            RaftServer server, OwnLog log, RatisThreads threads, @Nullable RemotePeers others, @Nullable PeerTls tls) {
        this.server = server;
        this.log = log;
        this.threads = threads;
        this.others = others;
        this.tls = tls;
    }

    /**
     * Starts a peer.
     *
     * @throws IOException if the directory cannot be used, or the address cannot be listened on
     */
    public static PeerServer start(PeerSettings settings) throws IOException {
        return PeerStarter.start(settings);
    }

    /** Returns the name of the log of a cluster, and of its directory. */
    public static LogName logName(String cluster) {
        return new LogName(cluster, PeerStarter.group(cluster).getUuid().toString());
    }

    public RaftPeerId id() {
        return server.getId();
    }

    /** Returns the index of the last entry in the log of this peer, or of the last entry in its snapshot. */
    public long lastIndex() {
        return division().getRaftLog().getNextIndex() - 1;
    }

    /** Sends an entry to the leader, which may be this peer. */
    public CompletableFuture<RaftClientReply> send(Message entry) {
        return toLeader(leader -> leader.submit(entry));
    }

    /** Replaces the voting peers, if they are still those that were expected. */
    public CompletableFuture<RaftClientReply> setPeers(List<RaftPeer> expected, List<RaftPeer> wanted) {
        Arguments change = Arguments.newBuilder()
                .setServersInCurrentConf(expected)
                .setServersInNewConf(wanted)
                .setMode(Mode.COMPARE_AND_SET)
                .build();
        return toLeader(leader -> leader.setPeers(change));
    }

    private CompletableFuture<RaftClientReply> toLeader(
            Function<LogRequests, CompletableFuture<RaftClientReply>> request) {
        return Futures.start(() -> {
            RaftPeerId leader = division().getInfo().getLeaderId();
            if (leader != null && leader.equals(id())) {
                return request.apply(log);
            }
            RaftConfiguration peers = configuration();
            RaftPeer remote = leader == null || others == null ? null : peers.getPeer(leader);
            return remote == null || others == null
                    ? CompletableFuture.failedFuture(
                            new NotLeaderException(division().getMemberId(), null, peers.getAllPeers()))
                    : request.apply(others.to(remote));
        });
    }

    /** Returns the division of the Ratis server, which runs the log of this peer. */
    public RaftServer.Division division() {
        try {
            return server.getDivision(log.group());
        } catch (IOException e) {
            throw new LogFailedException(
                    "The log of peer " + id() + " does not run: " + e.getMessage() + "; start the peer again", e);
        }
    }

    /** Returns the peers of the log. */
    public RaftConfiguration configuration() {
        return division().getRaftConf();
    }

    /** Returns the voting peers that have an address. */
    public List<Peer> peers() {
        return configuration().getCurrentPeers().stream()
                .map(Addresses::toPeer)
                .flatMap(Optional::stream)
                .toList();
    }

    /**
     * Returns the role of this peer and the progress of its log.
     *
     * @param leading whether the engine of this peer may act
     * @param since finds the time since which a leader leads
     * @param applied the index of the last entry that is applied to the state
     * @param snapshots the snapshots of this peer
     * @param pending the commands of this peer without an outcome
     */
    public LogStatus status(
            boolean leading,
            Function<String, Optional<Instant>> since,
            long applied,
            Snapshots snapshots,
            PendingLimit pending) {
        DivisionInfo info = division().getInfo();
        RaftLog log = division().getRaftLog();
        long committed = Math.max(0, log.getLastCommittedIndex());
        Optional<String> leader = Optional.ofNullable(info.getLeaderId()).map(RaftPeerId::toString);
        return new LogStatus(
                id().toString(),
                leading,
                leader,
                leader.flatMap(since),
                info.getCurrentTerm(),
                log.isOpened() ? Math.max(0, log.getNextIndex() - 1) : committed,
                committed,
                applied,
                snapshots.latest().map(LogDetails.Snapshot::index).orElse(0L),
                names(),
                new LogDetails(
                        log.isOpened() ? OptionalLong.of(log.getStartIndex()) : OptionalLong.empty(),
                        snapshots.latest(),
                        progress(applied),
                        Optional.empty(),
                        snapshots.trouble(),
                        snapshots.failures(),
                        pending.commands(),
                        pending.bytes()));
    }

    private List<String> names() {
        return configuration().getCurrentPeers().stream()
                .map(peer -> peer.getId().toString())
                .sorted()
                .toList();
    }

    /** Returns the peers as far as this one has heard from them; the leader hears from all. */
    private List<LogDetails.Server> progress(long applied) {
        Map<String, Long> committed = new HashMap<>();
        division()
                .getCommitInfos()
                .forEach(info ->
                        committed.put(info.getServer().getId().toStringUtf8(), Math.max(0, info.getCommitIndex())));
        committed.put(id().toString(), applied);
        Map<String, Duration> silent = new HashMap<>();
        division()
                .getInfo()
                .getRoleInfoProto()
                .getLeaderInfo()
                .getFollowerInfoList()
                .forEach(follower -> silent.put(
                        follower.getId().getId().toStringUtf8(),
                        Duration.ofMillis(follower.getLastRpcElapsedTimeMs())));
        return names().stream()
                .map(name -> new LogDetails.Server(
                        name,
                        committed.containsKey(name) ? OptionalLong.of(committed.get(name)) : OptionalLong.empty(),
                        Optional.ofNullable(silent.get(name)),
                        Optional.empty()))
                .toList();
    }

    /** Returns whether this peer is the only one that votes. */
    public boolean alone() {
        RaftConfiguration peers = configuration();
        return peers.getCurrentPeers().size() == 1
                && peers.getPeer(id()) != null
                && (peers.getPreviousPeers() == null || peers.getPreviousPeers().isEmpty());
    }

    /** Blocks until the threads of the server have ended. */
    @Override
    public void close() throws IOException {
        threads.closing();
        server.close();
        if (others != null) {
            others.close();
        }
        if (tls != null) {
            tls.close();
        }
    }
}
