package io.csi4j.ratis.internal.peer;

import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.Timeouts;
import java.io.IOException;
import java.time.Duration;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeoutException;
import org.apache.ratis.client.RaftClientRpc;
import org.apache.ratis.protocol.RaftClientReply;
import org.apache.ratis.protocol.RaftClientRequest;
import org.apache.ratis.protocol.RaftPeer;
import org.apache.ratis.protocol.SetConfigurationRequest;

/** Sends requests to other peers. Thread-safe. */
final class RemotePeers implements AutoCloseable {
    private final RaftClientRpc rpc;
    private final Executor executor;
    private final Timeouts timeouts;
    private final Duration timeout;

    /**
     * Creates the sender, and connects to no peer yet.
     *
     * @param rpc the client of Ratis
     * @param executor runs requests that wait
     * @param timeouts measures the time
     * @param timeout the longest time for an answer, after which the connection counts as broken
     */
    RemotePeers(RaftClientRpc rpc, Executor executor, Timeouts timeouts, Duration timeout) {
        this.rpc = rpc;
        this.executor = executor;
        this.timeouts = timeouts;
        this.timeout = timeout;
    }

    /** Makes the addresses of peers known; a known peer keeps its address. */
    void know(Collection<RaftPeer> peers) {
        rpc.addRaftPeers(peers);
    }

    /** Sends an entry to a known peer. */
    CompletableFuture<RaftClientReply> send(RaftClientRequest request) {
        CompletableFuture<RaftClientReply> sent = rpc.sendRequestAsyncUnordered(request);
        return timeouts.limit(sent, timeout, () -> lost(request)).whenComplete((reply, failure) -> {
            if (failure != null) {
                Throwable reason = Futures.unwrap(failure);
                rpc.handleException(request.getServerId(), reason, reason instanceof TimeoutException);
            }
        });
    }

    private TimeoutException lost(RaftClientRequest request) {
        return new TimeoutException("peer " + request.getServerId() + " did not answer within " + timeout);
    }

    /** Sends a change of the configuration. Runs on the executor, because Ratis blocks the thread until the answer. */
    CompletableFuture<RaftClientReply> send(SetConfigurationRequest request) {
        return Futures.startOn(executor, () -> {
            try {
                return CompletableFuture.completedFuture(rpc.sendRequest(request));
            } catch (IOException e) {
                return CompletableFuture.failedFuture(e);
            }
        });
    }

    @Override
    public void close() throws IOException {
        rpc.close();
    }
}
