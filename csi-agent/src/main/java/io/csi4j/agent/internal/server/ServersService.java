package io.csi4j.agent.internal.server;

import com.google.protobuf.Message;
import io.csi4j.agent.internal.relay.AgentLink;
import io.csi4j.agent.internal.wire.PeerInterceptor;
import io.csi4j.agent.internal.wire.PeerMessages;
import io.csi4j.agent.internal.wire.WireCaller;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.PluginCommand.FingerprintNode;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.log.CauseLog;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.StateReader;
import io.csi4j.node.internal.codec.AgentLimits;
import io.csi4j.node.internal.codec.FailureCodec;
import io.csi4j.node.internal.codec.FingerprintCodec;
import io.csi4j.node.internal.codec.GrantCodec;
import io.csi4j.node.internal.codec.PeerText;
import io.csi4j.node.internal.codec.ProtocolVersion;
import io.csi4j.proto.agent.v1.AgentProto.Acknowledgement;
import io.csi4j.proto.agent.v1.AgentProto.AgentAnswer;
import io.csi4j.proto.agent.v1.AgentProto.AgentCall;
import io.csi4j.proto.agent.v1.AgentProto.CancelClaimCall;
import io.csi4j.proto.agent.v1.AgentProto.ClaimAnswer;
import io.csi4j.proto.agent.v1.AgentProto.ClaimCall;
import io.csi4j.proto.agent.v1.AgentProto.Failure;
import io.csi4j.proto.agent.v1.AgentProto.FingerprintAnswer;
import io.csi4j.proto.agent.v1.AgentProto.FingerprintRequest;
import io.csi4j.proto.agent.v1.AgentProto.Origin;
import io.csi4j.proto.agent.v1.AgentProto.ReleasedCall;
import io.csi4j.proto.agent.v1.AgentProto.Version;
import io.csi4j.proto.agent.v1.AgentProto.Waiting;
import io.csi4j.proto.agent.v1.ServersGrpc;
import io.csi4j.values.internal.Values;
import io.grpc.stub.StreamObserver;
import java.time.Clock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/** Serves the calls of agents. An agent may send and receive only data of its own node. */
public final class ServersService extends ServersGrpc.ServersImplBase {
    private static final Origin US = Origin.ORIGIN_SERVER;
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(60);

    private final String server;
    private final VolumeLifecycle lifecycle;
    private final CommandLog log;
    private final Clock clock;
    private final AgentLink link;
    private final CauseLog causes;
    private final PendingClaims claims;
    private final PeerMessages messages = new PeerMessages();

    /**
     * Creates the service.
     *
     * @param server the server's id, which is different after each start
     */
    public ServersService(String server, ServedParts parts, PendingClaims claims) {
        this.server = server;
        this.lifecycle = parts.lifecycle();
        this.log = parts.log();
        this.clock = parts.clock();
        this.link = parts.link();
        this.causes = parts.causes();
        this.claims = claims;
    }

    /** The objects that the service uses. */
    public record ServedParts(
            VolumeLifecycle lifecycle, CommandLog log, Clock clock, AgentLink link, CauseLog causes) {}

    /** Reports a request that the sender is not permitted to make, or that this server does not support. */
    private static final class Refused extends RuntimeException {
        private static final long serialVersionUID = 1L;
        private final transient Failure failure;

        Refused(Failure failure) {
            super(failure.getMessage(), null, false, false);
            this.failure = failure;
        }
    }

    private static Failure written(Throwable thrown) {
        Throwable failure = Futures.unwrap(thrown);
        if (failure instanceof Refused refused) {
            return refused.failure;
        }
        return failure instanceof IllegalArgumentException invalid
                ? FailureCodec.invalid(US, String.valueOf(invalid.getMessage()))
                : FailureCodec.write(failure, US);
    }

    /** Returns the node of the sender, after checking that the sender may report for it. */
    private NodeId believed(WireCaller peer, Version version, String nodeId) {
        checked(version);
        NodeId node = NodeId.of(nodeId);
        if (!peer.isAgentOf(node)) {
            String reason = peer.name() + " speaks for node " + PeerText.plain(nodeId)
                    + ", and its certificate, or the socket it came by, is not that node's; expected is the agent of"
                    + " node "
                    + PeerText.plain(nodeId) + " by the rules for peers";
            logRefusal(peer, node, reason);
            throw new Refused(FailureCodec.denied(US, "nodeId: " + reason));
        }
        link.contacts().served(node);
        return node;
    }

    private void logRefusal(WireCaller peer, NodeId node, String reason) {
        causes.warn("denied " + peer.name() + " " + node, "The call of an agent is refused: " + reason);
        if (log.state().snapshot().node(node).isPresent()) {
            link.contacts().refused(node, reason);
        }
    }

    private static void checked(Version version) {
        ProtocolVersion.refusal(version, US).ifPresent(failure -> {
            throw new Refused(failure);
        });
    }

    @Override
    public void fingerprint(FingerprintRequest sent, StreamObserver<FingerprintAnswer> out) {
        WireCaller peer = PeerInterceptor.current();
        FingerprintRequest request = AgentLimits.perPlugin(
                sent,
                problem -> causes.warn(
                        "facts " + peer.name(),
                        peer.name() + " reports a plugin whose facts are refused, so that it counts as not healthy: "
                                + problem));
        FingerprintAnswer.Builder answer =
                FingerprintAnswer.newBuilder().setVersion(ProtocolVersion.OURS).setServer(server);
        messages.serve(
                peer,
                request,
                out,
                () -> {
                    believed(peer, request.getVersion(), request.getNodeId());
                    // The log applies the agent's report even if the agent disconnects before the response.
                    return log.submit(new FingerprintNode(believable(FingerprintCodec.read(request, clock.instant()))))
                            .thenApply(outcome -> {
                                accepted(outcome);
                                return answer.build();
                            });
                },
                failure -> answer.setFailure(written(failure))
                        .setNewest(newest(failure))
                        .build());
    }

    private NodeFingerprint believable(NodeFingerprint report) {
        StateReader state = log.state().snapshot();
        List<PluginInstance> instances = report.instances().stream()
                .map(instance -> PluginReports.believable(state, lifecycle.controllers(), instance))
                .toList();
        return new NodeFingerprint(report.nodeId(), instances, report.order(), report.at());
    }

    /**
     * Returns the number of the newest known fingerprint if the failure says that the sent one is outdated, and
     * otherwise 0. The agent gives its next fingerprint a greater number.
     */
    private static long newest(Throwable failure) {
        return Futures.unwrap(failure) instanceof RejectedException refused
                        && refused.reason() instanceof Rejection.FingerprintOutdated outdated
                ? outdated.newest()
                : 0;
    }

    private static void accepted(Outcome outcome) {
        if (outcome instanceof Outcome.Rejected rejected) {
            throw new RejectedException(rejected.reason());
        }
    }

    @Override
    public void claim(ClaimCall call, StreamObserver<ClaimAnswer> out) {
        WireCaller peer = PeerInterceptor.current();
        messages.serve(
                peer,
                call,
                out,
                () -> {
                    NodeId node = believed(peer, call.getVersion(), call.getNodeId());
                    AllocationId allocation = AllocationId.of(call.getAllocationId());
                    ours(node, allocation);
                    List<ClaimRequest> requests = AgentRequests.claims(
                            allocation,
                            call.getVolumesList().stream().map(GrantCodec::read).toList());
                    return claims.ask(node, allocation, call.getAttempt(), requests, wait(call))
                            .thenCompose(grant -> grant.isPresent()
                                    ? CompletableFuture.completedFuture(granted(node, grant.get()))
                                    : WaitReason.of(lifecycle.claims(), allocation, requests)
                                            .thenApply(reason -> claimAnswer()
                                                    .setWaiting(
                                                            Waiting.newBuilder().setReason(reason))
                                                    .build()));
                },
                failure -> claimAnswer().setFailure(written(failure)).build());
    }

    private static Duration wait(ClaimCall call) {
        Duration asked = Duration.ofMillis(Math.max(0, call.getWaitMillis()));
        return asked.compareTo(LONGEST_WAIT) > 0 ? LONGEST_WAIT : asked;
    }

    private ClaimAnswer.Builder claimAnswer() {
        return ClaimAnswer.newBuilder().setVersion(ProtocolVersion.OURS).setServer(server);
    }

    /** Rejects a request for an allocation that is not on the sender's node, because a grant contains secrets. */
    private void ours(NodeId node, AllocationId allocation) {
        boolean elsewhere = log.state()
                .snapshot()
                .allocation(allocation)
                .filter(known -> !known.nodeId().equals(node))
                .isPresent();
        if (elsewhere) {
            throw new Refused(FailureCodec.denied(
                    US, "allocationId: " + PeerText.plain(allocation.value()) + " is not on node " + node));
        }
    }

    private ClaimAnswer granted(NodeId node, ClaimGrant grant) {
        if (grant.volumes().stream().anyMatch(volume -> !volume.claim().nodeId().equals(node))) {
            throw new Refused(FailureCodec.denied(
                    US, "allocationId: the claims of " + grant.allocationId() + " are not on node " + node));
        }
        return claimAnswer().setGrant(GrantCodec.write(grant)).build();
    }

    @Override
    public void cancelClaim(CancelClaimCall call, StreamObserver<Acknowledgement> out) {
        WireCaller peer = PeerInterceptor.current();
        acknowledge(peer, call, out, () -> {
            NodeId node = believed(peer, call.getVersion(), call.getNodeId());
            AllocationId allocation = AllocationId.of(call.getAllocationId());
            ours(node, allocation);
            return claims.cancel(node, allocation, call.getAttempt());
        });
    }

    @Override
    public void released(ReleasedCall call, StreamObserver<Acknowledgement> out) {
        WireCaller peer = PeerInterceptor.current();
        acknowledge(peer, call, out, () -> {
            NodeId node = believed(peer, call.getVersion(), call.getNodeId());
            VolumeKey volume = Values.key(call.getVolume());
            return lifecycle.claims().nodeReleased(volume, node, AllocationId.of(call.getAllocationId()));
        });
    }

    private void acknowledge(
            WireCaller peer,
            Message request,
            StreamObserver<Acknowledgement> out,
            Supplier<CompletableFuture<?>> work) {
        Acknowledgement.Builder answer =
                Acknowledgement.newBuilder().setVersion(ProtocolVersion.OURS).setServer(server);
        messages.serve(
                peer,
                request,
                out,
                () -> work.get().thenApply(done -> answer.build()),
                failure -> answer.setFailure(written(failure)).build());
    }

    @Override
    public void forward(AgentCall call, StreamObserver<AgentAnswer> out) {
        WireCaller peer = PeerInterceptor.current();
        messages.serve(
                peer,
                call,
                out,
                () -> {
                    if (!peer.server()) {
                        throw new Refused(FailureCodec.denied(
                                US, "calls are passed on for servers only, and " + peer.name() + " is none"));
                    }
                    checked(call.getVersion());
                    return link.forward(call);
                },
                failure -> AgentAnswer.newBuilder()
                        .setVersion(ProtocolVersion.OURS)
                        .setFailure(written(failure))
                        .build());
    }
}
