package io.csi4j.ratis.internal.peer;

import io.csi4j.ratis.Peer;
import io.csi4j.ratis.PeerFailedException;
import io.csi4j.ratis.PeerId;
import io.csi4j.ratis.RatisLogOptions;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import org.apache.ratis.RaftConfigKeys;
import org.apache.ratis.conf.Parameters;
import org.apache.ratis.conf.RaftProperties;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroup;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.RaftPeerId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachine;

/** The Ratis server of a peer. Thread-safe. */
public final class PeerServer implements AutoCloseable {
    /** The longest command; an entry has a head besides. */
    public static final int LONGEST_COMMAND = Settings.LONGEST_ENTRY - (1 << 12);

    private final RaftServer server;
    private final RaftGroupId group;

    private PeerServer(RaftServer server, RaftGroupId group) {
        this.server = server;
        this.group = group;
    }

    /**
     * Starts a peer without other peers.
     *
     * @param directory the directory of log and snapshots
     * @param self the peer
     * @param cluster the name of the cluster
     * @param options the settings
     * @param machine the state machine, which gets the entries
     * @throws IOException if the directory cannot be used
     */
    public static PeerServer alone(
            Path directory, PeerId self, String cluster, RatisLogOptions options, StateMachine machine)
            throws IOException {
        RaftProperties properties = Settings.of(directory, options, true);
        RaftConfigKeys.Rpc.setType(properties, new SoloRpc());
        RaftPeer peer = RaftPeer.newBuilder()
                .setId(self.value())
                .setAddress("localhost:0")
                .build();
        return start(properties, new Parameters(), RaftGroup.valueOf(groupOf(cluster), peer), peer.getId(), machine);
    }

    private static PeerServer start(
            RaftProperties properties, Parameters parameters, RaftGroup group, RaftPeerId self, StateMachine machine)
            throws IOException {
        RaftServer server = RaftServer.newBuilder()
                .setServerId(self)
                .setGroup(group)
                .setOption(RaftStorage.StartupOption.RECOVER)
                .setProperties(properties)
                .setParameters(parameters)
                .setStateMachine(machine)
                .build();
        try {
            server.start();
        } catch (IOException | RuntimeException unstarted) {
            server.close();
            throw unstarted;
        }
        return new PeerServer(server, group.getGroupId());
    }

    /** Returns the id of the log of a cluster, so that peers of different clusters never talk to each other. */
    private static RaftGroupId groupOf(String cluster) {
        return RaftGroupId.valueOf(UUID.nameUUIDFromBytes(("csi4j " + cluster).getBytes(StandardCharsets.UTF_8)));
    }

    public RaftGroupId group() {
        return group;
    }

    public RaftPeerId id() {
        return server.getId();
    }

    /** Gives a request to this peer. */
    public CompletableFuture<RaftClientReply> submit(RaftClientRequest request) {
        try {
            return server.submitClientRequestAsync(request);
        } catch (IOException | RuntimeException refused) {
            return CompletableFuture.failedFuture(refused);
        }
    }

    /** Returns the part of the server that belongs to the log. */
    public RaftServer.Division division() {
        try {
            return server.getDivision(group);
        } catch (IOException e) {
            throw new PeerFailedException(
                    "The log of peer " + server.getId() + " did not start: " + e.getMessage()
                            + "; see the cause, and start the peer again",
                    e);
        }
    }

    /** Returns the leader, if this peer knows it. */
    public Optional<PeerId> leader() {
        return Optional.ofNullable(division().getInfo().getLeaderId()).map(id -> PeerId.of(id.toString()));
    }

    /** Returns the voting peers of the current configuration. */
    public List<Peer> peers() {
        return division().getRaftConf().getCurrentPeers().stream()
                .map(Addresses::toPeer)
                .flatMap(Optional::stream)
                .toList();
    }

    /** Blocks until the threads of the server have ended. */
    @Override
    public void close() throws IOException {
        server.close();
    }
}
