package io.csi4j.ratis.internal.submit;

import io.csi4j.ratis.internal.peer.PeerServer;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;

/** Gives entries to this peer if it leads, and sends them to the leader otherwise. */
public final class LeaderRoute implements Route {
    private final CompletableFuture<PeerServer> server;
    private final ClientId client = ClientId.randomId();
    /** Each attempt has a number of its own: the state machine recognises repeated entries. */
    private final AtomicLong attempts = new AtomicLong();

    /**
     * Creates a route.
     *
     * @param server this peer, once it runs
     */
    public LeaderRoute(CompletableFuture<PeerServer> server) {
        this.server = server;
    }

    @Override
    public CompletableFuture<RaftClientReply> send(Message entry) {
        PeerServer self = server.join();
        return self.submit(RaftClientRequest.newBuilder()
                .setClientId(client)
                .setServerId(self.id())
                .setGroupId(self.group())
                .setCallId(attempts.incrementAndGet())
                .setMessage(entry)
                .setType(RaftClientRequest.writeRequestType())
                .build());
    }
}
