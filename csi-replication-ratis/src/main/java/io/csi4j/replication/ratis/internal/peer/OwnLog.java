package io.csi4j.replication.ratis.internal.peer;

import io.csi4j.core.internal.concurrent.Futures;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.ratis.protocol.ClientId;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientAsynchronousProtocol;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.protocol.SetConfigurationRequest;
import org.apache.ratis.server.RaftServer;

/** The log of this process. Takes requests of this process and, through the port, of other peers. Thread-safe. */
final class OwnLog implements LogRequests {
    private final RaftServer server;
    private final RaftGroupId group;
    private final ClientId client = ClientId.randomId();
    /**
     * The number of requests so far. Each request gets a new number, even if it repeats an entry, because the state
     * machine recognizes repeated entries.
     */
    private final AtomicLong requests = new AtomicLong();

    OwnLog(RaftServer server, RaftGroupId group) {
        this.server = server;
        this.group = group;
    }

    RaftGroupId group() {
        return group;
    }

    /**
     * Submits an entry directly to the division. The method of the Ratis server would keep another thread waiting for the
     * reply.
     */
    @Override
    public CompletableFuture<RaftClientReply> submit(Message entry) {
        return start(() -> {
            RaftClientRequest request = RaftClientRequest.newBuilder()
                    .setClientId(client)
                    .setServerId(server.getId())
                    .setGroupId(group)
                    .setCallId(requests.incrementAndGet())
                    .setMessage(entry)
                    .setType(RaftClientRequest.writeRequestType())
                    .build();
            return server.getDivision(group) instanceof RaftClientAsynchronousProtocol log
                    ? log.submitClientRequestAsync(request)
                    : server.submitClientRequestAsync(request);
        });
    }

    @Override
    public CompletableFuture<RaftClientReply> setPeers(SetConfigurationRequest.Arguments change) {
        return start(() -> server.setConfigurationAsync(
                new SetConfigurationRequest(client, server.getId(), group, requests.incrementAndGet(), change)));
    }

    private interface Start {
        CompletableFuture<RaftClientReply> now() throws IOException;
    }

    private static CompletableFuture<RaftClientReply> start(Start request) {
        return Futures.start(() -> {
            try {
                return request.now();
            } catch (IOException e) {
                return CompletableFuture.failedFuture(e);
            }
        });
    }
}
