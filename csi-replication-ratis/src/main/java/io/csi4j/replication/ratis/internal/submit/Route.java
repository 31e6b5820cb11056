package io.csi4j.replication.ratis.internal.submit;

import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;

/** Sends the entries of this process to the leader. */
@FunctionalInterface
public interface Route {
    /**
     * Sends an entry once, to the peer that this peer takes for the leader.
     *
     * @return the reply; fails if no leader is known or the reply was lost. After a failure, the entry may be in the
     *     log or not
     */
    CompletableFuture<RaftClientReply> send(Message entry);
}
