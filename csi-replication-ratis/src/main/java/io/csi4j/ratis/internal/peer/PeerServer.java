package io.csi4j.ratis.internal.peer;

import io.csi4j.client.TlsOptions;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.ratis.Peer;
import io.csi4j.ratis.PeerFailedException;
import io.csi4j.ratis.internal.lead.LeaseFactory;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.client.ClientFactory;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.protocol.SetConfigurationRequest.Arguments;
import org.apache.ratis.protocol.SetConfigurationRequest.Mode;
import org.apache.ratis.protocol.exceptions.NotLeaderException;
import org.apache.ratis.server.RaftConfiguration;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.jspecify.annotations.Nullable;

/** The Ratis server of a peer, and its connections to the leader. Thread-safe. */
public final class PeerServer implements AutoCloseable {
    /** The longest command; an entry has a head besides. */
    public static final int LONGEST_COMMAND = Settings.LONGEST_ENTRY - (1 << 12);

    private final RaftServer server;
    private final RaftGroupId group;
    private final RatisThreads threads;
    private final @Nullable RemotePeers others;
    private final ClientId client = ClientId.randomId();
    /** Each request has a number of its own: the state machine recognises repeated entries. */
    private final AtomicLong requests = new AtomicLong();

    private PeerServer(RaftServer server, RaftGroupId group, RatisThreads threads, @Nullable RemotePeers others) {
        this.server = server;
        this.group = group;
        this.threads = threads;
        this.others = others;
    }

    /**
     * Starts a peer.
     *
     * @throws IOException if the directory cannot be used, or the address cannot be listened on
     */
    public static PeerServer start(PeerSettings settings) throws IOException {
        RaftGroupId group = RaftGroupId.valueOf(
                UUID.nameUUIDFromBytes(("csi4j " + settings.cluster()).getBytes(StandardCharsets.UTF_8)));
        RatisThreads threads = new RatisThreads(settings.self().value());
        RaftProperties properties = Settings.of(
                settings.directory(), settings.options(), settings.listen().isEmpty());
        if (settings.listen().isEmpty()) {
            RaftPeer self = RaftPeer.newBuilder()
                    .setId(settings.self().value())
                    .setAddress("localhost:0")
                    .build();
            RaftConfigKeys.Rpc.setType(properties, new SoloRpc());
            RaftServer server = start(settings, RaftGroup.valueOf(group, self), properties, new Parameters(), threads);
            return new PeerServer(server, group, threads, null);
        }
        Peer listen = settings.listen().get();
        Parameters parameters = new Parameters();
        settings.tls().ifPresent(tls -> GrpcConfigKeys.TLS.setConf(parameters, tls(tls)));
        LeaseFactory.setLease(parameters, settings.lease());
        RaftConfigKeys.Rpc.setType(properties, new LeaseFactory.Type());
        GrpcConfigKeys.Server.setHost(properties, listen.host());
        GrpcConfigKeys.Server.setPort(properties, listen.port());
        List<RaftPeer> peers =
                settings.newCluster().stream().map(Addresses::toRaft).toList();
        RaftServer server = start(settings, RaftGroup.valueOf(group, peers), properties, parameters, threads);
        return new PeerServer(server, group, threads, remote(settings, server, properties));
    }

    private static RaftServer start(
            PeerSettings settings,
            RaftGroup group,
            RaftProperties properties,
            Parameters parameters,
            RatisThreads threads)
            throws IOException {
        RaftServer server = RaftServer.newBuilder()
                .setServerId(RaftPeerId.valueOf(settings.self().value()))
                .setGroup(group)
                .setOption(RaftStorage.StartupOption.RECOVER)
                .setProperties(properties)
                .setParameters(parameters)
                .setStateMachine(settings.machine())
                .setThreadGroup(threads)
                .build();
        try {
            server.start();
            return server;
        } catch (IOException | RuntimeException unstarted) {
            threads.closing();
            server.close();
            throw unstarted;
        }
    }

    private static RemotePeers remote(PeerSettings settings, RaftServer server, RaftProperties properties) {
        ClientFactory factory = ClientFactory.cast(server.getFactory());
        Duration timeout = settings.options().electionTimeout().multipliedBy(3);
        return new RemotePeers(
                factory.newRaftClientRpc(ClientId.randomId(), properties),
                settings.environment().executor(),
                new Timeouts(
                        settings.environment().timer(), settings.environment().executor()),
                timeout);
    }

    private static GrpcTlsConfig tls(TlsOptions tls) {
        return new GrpcTlsConfig(
                required(tls.privateKey()),
                required(tls.certificateChain()),
                required(tls.trustedCertificates()),
                true);
    }

    private static File required(Optional<Path> file) {
        return file.orElseThrow().toFile();
    }

    public RaftPeerId id() {
        return server.getId();
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
                server::submitClientRequestAsync,
                RemotePeers::send);
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

    /** Returns the part of the server that belongs to the log. */
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
    }
}
