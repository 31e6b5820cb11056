package io.csi4j.replication.ratis.internal.peer;

import io.csi4j.client.internal.socket.UnfinishedConnections;
import io.csi4j.core.internal.log.CauseLog;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.replication.ratis.Peer;
import io.csi4j.replication.ratis.internal.lead.LeaseFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.grpc.GrpcTlsConfig;
import org.apache.ratis.grpc.GrpcUtil;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.jspecify.annotations.Nullable;

/** Starts the Ratis server of a peer: alone, or on an address. */
final class PeerStarter {
    private static final System.Logger LOG = System.getLogger(PeerStarter.class.getName());

    private final PeerSettings settings;
    private final RaftGroupId group;
    private final RatisThreads threads;
    private final RaftProperties properties;
    private final Parameters parameters = new Parameters();

    private PeerStarter(PeerSettings settings) {
        this.settings = settings;
        this.group = group(settings.cluster());
        this.threads = new RatisThreads(settings.self().value());
        this.properties = RatisSettings.of(
                settings.directory(), settings.options(), settings.listen().isEmpty());
    }

    /** Derives the group's id from the cluster's name, so that peers of different clusters never talk to each other. */
    static RaftGroupId group(String cluster) {
        return RaftGroupId.valueOf(UUID.nameUUIDFromBytes(("csi4j " + cluster).getBytes(StandardCharsets.UTF_8)));
    }

    static PeerServer start(PeerSettings settings) throws IOException {
        PeerStarter starter = new PeerStarter(settings);
        return settings.listen().isEmpty()
                ? starter.alone()
                : starter.listening(settings.listen().get());
    }

    private PeerServer alone() throws IOException {
        RaftPeer self = RaftPeer.newBuilder()
                .setId(settings.self().value())
                .setAddress("localhost:0")
                .build();
        RaftConfigKeys.Rpc.setType(properties, new SoloRpc());
        RaftServer server = server(List.of(self));
        start(server);
        return new PeerServer(server, new OwnLog(server, group), threads, null, null);
    }

    private PeerServer listening(Peer address) throws IOException {
        PeerTls tls = settings.tls()
                .map(files -> PeerTls.open(files, settings.rules(), settings.environment()))
                .orElse(null);
        try {
            return listening(address, tls);
        } catch (IOException | RuntimeException unstarted) {
            if (tls != null) {
                tls.close();
            }
            throw unstarted;
        }
    }

    private PeerServer listening(Peer address, @Nullable PeerTls tls) throws IOException {
        GrpcTlsConfig certificates = tls == null ? null : tls.config();
        if (certificates != null) {
            GrpcConfigKeys.TLS.setConf(parameters, certificates);
        }
        PortGuard guard = new PortGuard(gate(tls != null));
        GrpcConfigKeys.Server.setServicesCustomizer(parameters, guard);
        LeaseFactory.setLease(parameters, settings.lease());
        RaftConfigKeys.Rpc.setType(properties, new LeaseFactory.Type());
        GrpcConfigKeys.Server.setHost(properties, address.host());
        GrpcConfigKeys.Server.setPort(properties, address.port());
        RaftServer server =
                server(settings.newCluster().stream().map(Addresses::toRaft).toList());
        OwnLog log = new OwnLog(server, group);
        guard.serve(log);
        start(server);
        Duration timeout = settings.options().electionTimeout().multipliedBy(3);
        RemotePeers others = new RemotePeers(
                group, certificates == null ? null : GrpcUtil.buildSslContextForClient(certificates), timeout);
        return new PeerServer(server, log, threads, others, tls);
    }

    /** Returns the gate of the port. If a thread of the port ends while the peer runs, the peer stops. */
    private LogGate gate(boolean tls) {
        CauseLog causes = new CauseLog(LOG, settings.environment().clock());
        return new LogGate(
                UnfinishedConnections.ofProcess(causes, settings.environment().executor()), tls, thread -> {
                    if (!threads.isClosing()) {
                        settings.failed()
                                .accept(new LogFailedException(
                                        "A thread of the log's port has ended (" + thread
                                                + "), so other peers cannot reach this one any more. Start the peer"
                                                + " again; the reason is in the lines of the log before",
                                        null));
                    }
                });
    }

    /**
     * Creates the server. The founders are the peers of a new cluster; Ratis ignores them if the directory has files.
     */
    private RaftServer server(List<RaftPeer> founders) throws IOException {
        return RaftServer.newBuilder()
                .setServerId(RaftPeerId.valueOf(settings.self().value()))
                .setGroup(RaftGroup.valueOf(group, founders))
                .setOption(RaftStorage.StartupOption.RECOVER)
                .setProperties(properties)
                .setParameters(parameters)
                .setStateMachine(settings.machine())
                .setThreadGroup(threads)
                .build();
    }

    private void start(RaftServer server) throws IOException {
        try {
            server.start();
        } catch (IOException | RuntimeException unstarted) {
            threads.closing();
            server.close();
            throw unstarted;
        }
    }
}
