package io.csi4j.replication.ratis;

import static io.csi4j.agent.Conditions.await;

import io.csi4j.agent.spi.PeerRules;
import io.csi4j.core.spi.Environment;
import io.csi4j.replication.ratis.internal.lead.LeaderLease;
import io.csi4j.replication.ratis.internal.peer.PeerServer;
import io.csi4j.replication.ratis.internal.peer.PeerSettings;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.statemachine.StateMachine;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.util.Timestamp;

/** A peer on the files of a log, with a state machine of a test's choice. */
final class BarePeer implements AutoCloseable {
    private final Environment environment = Environment.system();
    private final PeerServer server;

    private BarePeer(Path directory, Optional<Peer> peer, List<Peer> peers, StateMachine machine) throws IOException {
        this.server = PeerServer.start(new PeerSettings(
                directory.resolve("log"),
                "csi4j",
                peer.map(Peer::id).orElse(PeerId.of("local")),
                peer,
                peers,
                Optional.empty(),
                PeerRules.byUri(),
                TestCluster.FAST,
                environment,
                machine,
                new LeaderLease(Duration.ofMillis(100), Timestamp::currentTimeNanos),
                failure -> {
                    throw failure;
                }));
    }

    static BarePeer alone(Path directory, StateMachine machine) throws IOException {
        return new BarePeer(directory, Optional.empty(), List.of(), machine);
    }

    /** Starts a peer whose state machine lets every entry into the log, as an older version did. */
    static BarePeer careless(Path directory, Peer peer) throws IOException {
        return new BarePeer(directory, Optional.of(peer), List.of(), new BaseStateMachine());
    }

    /** Puts bytes into the log of a peer that runs alone. */
    static void append(Path directory, String bytes) throws IOException {
        try (BarePeer peer = alone(directory, new BaseStateMachine())) {
            peer.send(bytes);
        }
    }

    boolean leads() {
        return server.division().getInfo().isLeaderReady();
    }

    long lastIndex() {
        return server.lastIndex();
    }

    RaftClientReply send(String bytes) {
        return send(ByteString.copyFromUtf8(bytes));
    }

    RaftClientReply send(ByteString bytes) {
        await("the peer leads", this::leads);
        return server.send(Message.valueOf(bytes)).join();
    }

    @Override
    public void close() throws IOException {
        server.close();
        environment.close();
    }
}
