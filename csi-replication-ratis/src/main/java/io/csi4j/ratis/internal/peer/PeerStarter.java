package io.csi4j.ratis.internal.peer;

import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.ratis.Peer;
import io.csi4j.ratis.internal.lead.LeaseFactory;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.client.ClientFactory;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.grpc.GrpcConfigKeys;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.jspecify.annotations.Nullable;

/** Starts the Ratis server of a peer: alone, or on an address. */
final class PeerStarter {
    private final PeerSettings settings;
    private final RaftGroupId group;
    private final RatisThreads threads;
    private final RaftProperties properties;
    private final Parameters parameters = new Parameters();

    private PeerStarter(PeerSettings settings) {
        this.settings = settings;
        // Derives the group's id from the cluster's name, so that peers of different clusters never talk to each other.
        this.group = RaftGroupId.valueOf(
                UUID.nameUUIDFromBytes(("csi4j " + settings.cluster()).getBytes(StandardCharsets.UTF_8)));
        this.threads = new RatisThreads(settings.self().value());
        this.properties = RatisSettings.of(
                settings.directory(), settings.options(), settings.listen().isEmpty());
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
        return new PeerServer(server(List.of(self)), group, threads, null, null);
    }

    private PeerServer listening(Peer address) throws IOException {
        PeerTls tls = settings.tls()
                .map(files -> PeerTls.open(files, settings.environment()))
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
        if (tls != null) {
            GrpcConfigKeys.TLS.setConf(parameters, tls.config());
        }
        LeaseFactory.setLease(parameters, settings.lease());
        RaftConfigKeys.Rpc.setType(properties, new LeaseFactory.Type());
        GrpcConfigKeys.Server.setHost(properties, address.host());
        GrpcConfigKeys.Server.setPort(properties, address.port());
        RaftServer server =
                server(settings.newCluster().stream().map(Addresses::toRaft).toList());
        return new PeerServer(server, group, threads, others(server), tls);
    }

    /**
     * Starts the server. The founders are the peers of a new cluster; Ratis ignores them if the directory has files.
     */
    private RaftServer server(List<RaftPeer> founders) throws IOException {
        RaftServer server = RaftServer.newBuilder()
                .setServerId(RaftPeerId.valueOf(settings.self().value()))
                .setGroup(RaftGroup.valueOf(group, founders))
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

    private RemotePeers others(RaftServer server) {
        Duration timeout = settings.options().electionTimeout().multipliedBy(3);
        return new RemotePeers(
                ClientFactory.cast(server.getFactory()).newRaftClientRpc(ClientId.randomId(), properties),
                settings.environment().executor(),
                new Timeouts(
                        settings.environment().timer(), settings.environment().executor()),
                timeout);
    }
}
