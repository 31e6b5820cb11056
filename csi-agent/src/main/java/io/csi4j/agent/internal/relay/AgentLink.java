package io.csi4j.agent.internal.relay;

import io.csi4j.agent.internal.wire.WireChannels;
import io.csi4j.agent.internal.wire.WireChannels.Whom;
import io.csi4j.agent.internal.wire.WireException;
import io.csi4j.agent.spi.NodeDirectory;
import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.log.CauseLog;
import io.csi4j.node.internal.codec.FailureCodec;
import io.csi4j.node.internal.codec.ProtocolVersion;
import io.csi4j.proto.agent.v1.AgentGrpc;
import io.csi4j.proto.agent.v1.AgentProto.AgentAnswer;
import io.csi4j.proto.agent.v1.AgentProto.AgentCall;
import io.csi4j.proto.agent.v1.AgentProto.Origin;
import io.csi4j.proto.agent.v1.ServersGrpc;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** Sends calls to the agents of nodes, directly or through another server. */
public final class AgentLink {
    private static final System.Logger LOG = System.getLogger(AgentLink.class.getName());
    /** The additional time for each hop of a call, so that the receiver times out first and can report the reason. */
    public static final Duration SLACK = Duration.ofSeconds(2);
    /** The deadline of a forwarded call that has no deadline of its own. */
    private static final Duration USUAL = Duration.ofMinutes(5);

    private final NodeDirectory directory;
    private final WireChannels channels;
    private final CauseLog causes;
    private final AgentContacts contacts;

    public AgentLink(NodeDirectory directory, WireChannels channels, Clock clock) {
        this.directory = directory;
        this.channels = channels;
        this.causes = new CauseLog(LOG, clock);
        this.contacts = new AgentContacts(clock);
    }

    /** Returns which agents are connected to this server. */
    public AgentContacts contacts() {
        return contacts;
    }

    /**
     * Sends a call to the agent of a node. Failures are exceptions that {@code about} creates.
     *
     * @param call the call; this method adds the version, the node, the hops and the deadline
     */
    public CompletableFuture<AgentAnswer> send(CallContext about, AgentCall.Builder call, Duration deadline) {
        Optional<NodeRoute> route = route(about.node());
        if (route.isEmpty() || route.get().viaServer()) {
            channels.forget(about.node());
        }
        if (route.isEmpty()) {
            return CompletableFuture.failedFuture(about.noWay());
        }
        AgentCall message = call.setVersion(ProtocolVersion.OURS)
                .setNodeId(about.node().value())
                .setHops(0)
                .setDeadlineMillis(Math.max(1, deadline.toMillis()))
                .build();
        boolean viaServer = route.get().viaServer();
        Whom whom = new Whom(route.get().endpoint(), viaServer ? Optional.empty() : Optional.of(about.node()));
        CompletableFuture<AgentAnswer> sent = channels.call(
                whom,
                viaServer ? ServersGrpc.getForwardMethod() : AgentGrpc.getCallMethod(),
                message,
                deadline.plus(viaServer ? SLACK.multipliedBy(2) : SLACK));
        return Futures.map(
                sent,
                answer -> answer,
                failure ->
                        failure instanceof WireException lost ? about.withoutResponse(lost, whom.toString()) : failure);
    }

    /** Forwards a call of another server. If forwarding fails, the failure is returned as a response. */
    public CompletableFuture<AgentAnswer> forward(AgentCall call) {
        NodeId node = NodeId.of(call.getNodeId());
        Optional<NodeRoute> route = route(node).filter(way -> !way.viaServer());
        if (route.isEmpty()) {
            channels.forget(node);
        }
        if (call.getHops() > 0 || route.isEmpty()) {
            return CompletableFuture.completedFuture(AgentAnswer.newBuilder()
                    .setVersion(ProtocolVersion.OURS)
                    .setFailure(FailureCodec.unavailable(
                            Origin.ORIGIN_TRANSPORT,
                            call.getHops() > 0
                                    ? "it was passed on once already, and is passed on no further; name a server that"
                                            + " reaches the agent by itself"
                                    : "this server does not reach the agent of node " + node
                                            + " by itself; name one that does in the directory of nodes"))
                    .build());
        }
        Whom whom = new Whom(route.get().endpoint(), Optional.of(node));
        Duration deadline = call.getDeadlineMillis() > 0 ? Duration.ofMillis(call.getDeadlineMillis()) : USUAL;
        CompletableFuture<AgentAnswer> sent = channels.call(
                whom, AgentGrpc.getCallMethod(), call.toBuilder().setHops(1).build(), deadline.plus(SLACK));
        return Futures.recovered(
                sent,
                failure -> failure instanceof WireException lost
                        ? Optional.of(AgentAnswer.newBuilder()
                                .setVersion(ProtocolVersion.OURS)
                                .setFailure(FailureCodec.withoutResponse(
                                        lost.code(), lost.maybeSent(), whom + ": " + lost.explained()))
                                .build())
                        : Optional.empty());
    }

    /** Returns the route to a node; if the host's directory throws, no route is returned and nothing is sent. */
    private Optional<NodeRoute> route(NodeId node) {
        try {
            return directory.route(node);
        } catch (RuntimeException | Error failed) {
            causes.warn(
                    failed.getClass().getName(),
                    "The host's directory of nodes failed for node " + node + " with "
                            + failed.getClass().getName() + "; nothing is sent to the node. Mend the NodeDirectory");
            return Optional.empty();
        }
    }
}
