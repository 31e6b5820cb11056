package io.csi4j.replication.ratis.internal.peer;

import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.SetConfigurationRequest;

/** A peer to which requests for the log are sent: this peer, or another one. */
interface LogRequests {
    /** Appends an entry, if the peer leads. */
    CompletableFuture<RaftClientReply> submit(Message entry);

    /** Changes the voting peers, if the peer leads. */
    CompletableFuture<RaftClientReply> setPeers(SetConfigurationRequest.Arguments change);
}
