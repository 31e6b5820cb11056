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

    /** Asks the server whose turn it is. A {@link WireException} says that the next one is asked next. */
    public <Q, A> CompletableFuture<A> call(MethodDescriptor<Q, A> method, Q request, Duration deadline) {
        int asked = current.get();
        Whom server = at(asked);
        CompletableFuture<A> sent = channels.call(server, method, request, deadline);
        return CancellableFutures.mapped(sent, answer -> answer, failure -> {
            if (!(failure instanceof CancellationException)) {
                // Of whoever waits no more nothing is the server's fault; and it is the one to be told of that.
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

    /** The server that is asked now cannot help: another one may. */
    public void moveOn() {
        moveOn(current.get());
    }

    private void moveOn(int from) {
        // Two that fail side by side move on once.
        current.compareAndSet(from, from + 1);
    }

    public int count() {
        return servers.size();
    }
}
