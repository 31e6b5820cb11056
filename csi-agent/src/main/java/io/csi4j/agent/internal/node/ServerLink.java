package io.csi4j.agent.internal.node;

import io.csi4j.agent.internal.wire.WireChannels;
import io.csi4j.agent.internal.wire.WireChannels.Whom;
import io.csi4j.agent.internal.wire.WireContext;
import io.csi4j.agent.internal.wire.WireException;
import io.csi4j.agent.spi.ServerContact;
import io.csi4j.agent.spi.ServerContact.State;
import io.csi4j.client.Endpoint;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.node.internal.codec.PeerText;
import io.csi4j.node.transport.RemoteFailureException;
import io.csi4j.proto.agent.v1.AgentProto.Acknowledgement;
import io.csi4j.proto.agent.v1.AgentProto.ClaimAnswer;
import io.csi4j.proto.agent.v1.AgentProto.Failure;
import io.csi4j.proto.agent.v1.AgentProto.FailureKind;
import io.csi4j.proto.agent.v1.AgentProto.FingerprintAnswer;
import io.grpc.MethodDescriptor;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;

/**
 * Sends the calls of an agent to the servers. All calls go to the selected server. When this server does not answer,
 * the next server in the list is selected. Each change of a server's answers is written to the log.
 */
public final class ServerLink {
    private static final System.Logger LOG = System.getLogger(ServerLink.class.getName());

    private final NodeId node;
    private final List<Whom> servers;
    private final WireChannels channels;
    private final WireContext wire;
    private final AtomicInteger current = new AtomicInteger();
    private final AtomicReferenceArray<ServerContact> contacts;

    public ServerLink(NodeId node, List<Endpoint> servers, WireChannels channels, WireContext wire) {
        this.node = node;
        this.servers = servers.stream()
                .map(endpoint -> new Whom(endpoint, Optional.empty()))
                .toList();
        this.channels = channels;
        this.wire = wire;
        this.contacts = new AtomicReferenceArray<>(servers.stream()
                .map(endpoint -> new ServerContact(endpoint, State.NOT_CALLED, Optional.empty(), ""))
                .toArray(ServerContact[]::new));
    }

    /** Returns the result of the last call to each server, in the order of the list. */
    public List<ServerContact> contacts() {
        return IntStream.range(0, servers.size()).mapToObj(contacts::get).toList();
    }

    /** Calls the selected server. If the call fails with a {@link WireException}, the next server is selected. */
    public <Q, A> CompletableFuture<A> call(MethodDescriptor<Q, A> method, Q request, Duration deadline) {
        int asked = current.get();
        int place = Math.floorMod(asked, servers.size());
        Whom server = servers.get(place);
        CompletableFuture<A> sent = channels.call(server, method, request, deadline);
        return Futures.map(
                sent,
                answer -> {
                    answered(place, answer);
                    return answer;
                },
                failure -> {
                    if (failure instanceof CancellationException) {
                        // Keeps the selected server after a cancelled call, because this server did not fail, and the
                        // withdrawal of the call must reach the same server.
                        return failure;
                    }
                    moveOn(asked);
                    String why = failure instanceof WireException lost
                            ? lost.explained()
                            : String.valueOf(failure.getMessage());
                    unreachable(place, why);
                    return failure instanceof WireException
                            ? new RemoteFailureException(server + " gave no answer: " + why, true)
                            : failure;
                });
    }

    /** Returns the failure in an answer; one without a kind if the call was served. */
    private static Failure failure(Object answer) {
        if (answer instanceof FingerprintAnswer reported) {
            return reported.getFailure();
        }
        if (answer instanceof ClaimAnswer claimed) {
            return claimed.getFailure();
        }
        return answer instanceof Acknowledgement acknowledged
                ? acknowledged.getFailure()
                : Failure.getDefaultInstance();
    }

    /** Notes an answer. Only the answer to a report says whether a server serves this agent: others deny single requests. */
    private void answered(int place, Object answer) {
        Failure failure = failure(answer);
        boolean denied = failure.getKind() == FailureKind.FAILURE_KIND_DENIED;
        if (denied && !(answer instanceof FingerprintAnswer)) {
            return;
        }
        String server = servers.get(place).toString();
        if (denied || failure.getKind() == FailureKind.FAILURE_KIND_VERSION) {
            String why = PeerText.plain(failure.getMessage());
            set(place, State.REFUSED, why);
            wire.causes()
                    .warn(
                            "refused by " + server,
                            "The agent of node " + node + " is refused by " + server + ": " + why);
        } else if (set(place, State.CONNECTED, "")) {
            wire.causes().over("refused by " + server);
            wire.causes().over("no way to " + server);
            LOG.log(Level.INFO, () -> "The agent of node " + node + " is connected to " + server);
        }
    }

    private void unreachable(int place, String why) {
        if (wire.isClosed()) {
            return;
        }
        String server = servers.get(place).toString();
        set(place, State.UNREACHABLE, why);
        wire.causes()
                .warn(
                        "no way to " + server,
                        "The agent of node " + node + " cannot reach " + server + ": " + why
                                + ". It tries its servers in turn");
    }

    /** Stores the result of a call, and returns whether the one before was another. */
    private boolean set(int place, State state, String problem) {
        Instant now = wire.clock().instant();
        ServerContact before = contacts.getAndUpdate(
                place,
                known -> new ServerContact(
                        known.endpoint(), state, known.state() == state ? known.since() : Optional.of(now), problem));
        return before.state() != state;
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
