package io.csi4j.ratis.internal.peer;

import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.ratis.LogStatus;
import io.csi4j.ratis.Peer;
import io.csi4j.ratis.PeerFailedException;
import io.csi4j.ratis.PeerId;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
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
    private final RaftGroupId group;
    private final RatisThreads threads;
    private final @Nullable RemotePeers others;
    private final @Nullable PeerTls tls;
    private final ClientId client = ClientId.randomId();
    /**
     * The number of requests so far. Each request gets a new number, even if it repeats an entry, because the state
     * machine recognizes repeated entries.
     */
    private final AtomicLong requests = new AtomicLong();

    /**
     * Creates a peer from its parts.
     *
     * @param server the running server
     * @param group the Ratis group of the log
     * @param threads the threads of the server
     * @param others sends to the other peers; null: the peer runs alone
     * @param tls the certificates; null: there are none
     */
    PeerServer(
            RaftServer server,
            RaftGroupId group,
            RatisThreads threads,
            @Nullable RemotePeers others,
            @Nullable PeerTls tls) {
        this.server = server;
        this.group = group;
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

    public RaftPeerId id() {
        return server.getId();
    }

    /** Returns the index of the last entry in the log of this peer, or of the last entry in its snapshot. */
    public long lastIndex() {
        return division().getRaftLog().getNextIndex() - 1;
    }

    /** Sends an entry to the leader, which may be this peer. */
    public CompletableFuture<RaftClientReply> send(Message entry) {
        return toLeader(
                leader -> RaftClientRequest.newBuilder()
                        .setClientId(client)
                        .setServerId(leader)
                        .setGroupId(group)
                        .setCallId(requests.incrementAndGet())
                        .setMessage(entry)
                        .setType(RaftClientRequest.writeRequestType())
                        .build(),
                this::submitHere,
                RemotePeers::send);
    }

    /**
     * Submits a request directly to the log in this process. The method of the Ratis server would keep another thread
     * waiting for the reply.
     */
    private CompletableFuture<RaftClientReply> submitHere(RaftClientRequest request) throws IOException {
        return division() instanceof RaftClientAsynchronousProtocol log
                ? log.submitClientRequestAsync(request)
                : server.submitClientRequestAsync(request);
    }

    /** Replaces the voting peers, if they are still those that were expected. */
    public CompletableFuture<RaftClientReply> setPeers(List<RaftPeer> expected, List<RaftPeer> wanted) {
        Arguments arguments = Arguments.newBuilder()
                .setServersInCurrentConf(expected)
                .setServersInNewConf(wanted)
                .setMode(Mode.COMPARE_AND_SET)
                .build();
        return toLeader(
                leader -> new SetConfigurationRequest(client, leader, group, requests.incrementAndGet(), arguments),
                server::setConfigurationAsync,
                RemotePeers::send);
    }

    private <R> CompletableFuture<RaftClientReply> toLeader(
            Function<RaftPeerId, R> request, Local<R> local, Remote<R> remote) {
        return Futures.start(() -> {
            RaftPeerId leader = division().getInfo().getLeaderId();
            if (leader == null || (others == null && !leader.equals(id()))) {
                return CompletableFuture.failedFuture(new NotLeaderException(
                        division().getMemberId(), null, configuration().getAllPeers()));
            }
            if (leader.equals(id()) || others == null) {
                return local.submit(request.apply(leader));
            }
            others.know(configuration().getAllPeers());
            return remote.send(others, request.apply(leader));
        });
    }

    private interface Local<R> {
        CompletableFuture<RaftClientReply> send(R request) throws IOException;

        default CompletableFuture<RaftClientReply> submit(R request) {
            try {
                return send(request);
            } catch (IOException e) {
                return CompletableFuture.failedFuture(e);
            }
        }
    }

    private interface Remote<R> {
        CompletableFuture<RaftClientReply> send(RemotePeers others, R request);
    }

    /** Returns the division of the Ratis server, which runs the log of this peer. */
    public RaftServer.Division division() {
        try {
            return server.getDivision(group);
        } catch (IOException e) {
            throw new PeerFailedException(
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
     * @param applied the index of the last entry that is applied to the state
     * @param snapshot the index of the last entry in the latest snapshot
     */
    public LogStatus status(boolean leading, long applied, long snapshot) {
        DivisionInfo info = division().getInfo();
        RaftLog log = division().getRaftLog();
        long committed = Math.max(0, log.getLastCommittedIndex());
        return new LogStatus(
                PeerId.of(id().toString()),
                leading,
                Optional.ofNullable(info.getLeaderId()).map(leader -> PeerId.of(leader.toString())),
                info.getCurrentTerm(),
                log.isOpened() ? Math.max(0, log.getNextIndex() - 1) : committed,
                committed,
                applied,
                snapshot,
                peers());
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
