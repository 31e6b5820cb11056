package io.csi4j.agent.internal.node;

import io.csi4j.agent.internal.wire.CancellableFutures;
import io.csi4j.agent.internal.wire.WireChannels;
import io.csi4j.agent.internal.wire.WireChannels.Whom;
import io.csi4j.agent.internal.wire.WireException;
import io.csi4j.agent.spi.RemoteFailureException;
import io.csi4j.client.Endpoint;
import io.grpc.MethodDescriptor;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Sends the calls of an agent to the servers. All calls go to the selected server. When this server does not answer,
 * the next server in the list is selected.
 */
public final class ServerLink {
    private final List<Whom> servers;
    private final WireChannels channels;
    private final AtomicInteger current = new AtomicInteger();

    public ServerLink(List<Endpoint> servers, WireChannels channels) {
        this.servers = servers.stream()
                .map(endpoint -> new Whom(endpoint, Optional.empty()))
                .toList();
        this.channels = channels;
    }

    /** Calls the selected server. If the call fails with a {@link WireException}, the next server is selected. */
    public <Q, A> CompletableFuture<A> call(MethodDescriptor<Q, A> method, Q request, Duration deadline) {
        int asked = current.get();
        Whom server = at(asked);
        CompletableFuture<A> sent = channels.call(server, method, request, deadline);
        return CancellableFutures.mapped(sent, answer -> answer, failure -> {
            if (!(failure instanceof CancellationException)) {
                // Keeps the selected server after a cancelled call, because this server did not fail, and the
                // withdrawal of the call must reach the same server.
                moveOn(asked);
            }
            return failure instanceof WireException lost
                    ? new RemoteFailureException(server + " gave no answer: " + lost.explained(), true)
                    : failure;
        });
    }

    private Whom at(int number) {
        return servers.get(Math.floorMod(number, servers.size()));
    }

    /** Selects the next server, because the selected one cannot perform a request. */
    public void moveOn() {
        moveOn(current.get());
    }

    private void moveOn(int from) {
        // Selects the next server only once, even if two calls to the same server fail at the same time.
        current.compareAndSet(from, from + 1);
    }
}
