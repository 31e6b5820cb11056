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

/** Calls of an agent to the servers: to one server at a time, and to the next one when that server does not answer. */
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

    /** Calls the present server. After a {@link WireException}, the next call goes to the next server. */
    public <Q, A> CompletableFuture<A> call(MethodDescriptor<Q, A> method, Q request, Duration deadline) {
        int asked = current.get();
        Whom server = at(asked);
        CompletableFuture<A> sent = channels.call(server, method, request, deadline);
        return CancellableFutures.mapped(sent, answer -> answer, failure -> {
            if (!(failure instanceof CancellationException)) {
                // A cancelled call is not the server's fault, and the same server gets the cancellation.
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

    /** Selects the next server, because the present one cannot help. */
    public void moveOn() {
        moveOn(current.get());
    }

    private void moveOn(int from) {
        // Two concurrent failures select one next server.
        current.compareAndSet(from, from + 1);
    }

    public int count() {
        return servers.size();
    }
}
