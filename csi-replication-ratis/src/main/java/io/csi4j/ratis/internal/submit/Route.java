package io.csi4j.ratis.internal.submit;

import java.util.concurrent.CompletableFuture;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftClientReply;

/** The way of an entry to the leader. */
@FunctionalInterface
public interface Route {
    /**
     * Sends an entry once, to the peer that leads as far as this one knows.
     *
     * @return the reply; fails if there is no leader, or the answer was lost. Then the entry may be in the log or not
     */
    CompletableFuture<RaftClientReply> send(Message entry);
}
