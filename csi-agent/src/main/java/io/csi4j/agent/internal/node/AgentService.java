package io.csi4j.agent.internal.node;

import com.google.protobuf.ByteString;
import io.csi4j.agent.internal.wire.PeerInterceptor;
import io.csi4j.agent.internal.wire.PeerMessages;
import io.csi4j.agent.internal.wire.WireCaller;
import io.csi4j.agent.internal.wire.WireContext;
import io.csi4j.client.CallDeadlines;
import io.csi4j.client.CsiClient;
import io.csi4j.client.RelayedCall;
import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.spi.NodeForget;
import io.csi4j.node.VolumeMounter;
import io.csi4j.node.internal.codec.FailureCodec;
import io.csi4j.node.internal.codec.IdCodec;
import io.csi4j.node.internal.codec.NodeHealthCodec;
import io.csi4j.node.internal.codec.NodeReportCodec;
import io.csi4j.node.internal.codec.NodeRequestCodec;
import io.csi4j.node.internal.codec.PluginInfoCodec;
import io.csi4j.node.internal.codec.ProtocolVersion;
import io.csi4j.proto.agent.v1.AgentGrpc;
import io.csi4j.proto.agent.v1.AgentProto.AgentAnswer;
import io.csi4j.proto.agent.v1.AgentProto.AgentCall;
import io.csi4j.proto.agent.v1.AgentProto.Expanded;
import io.csi4j.proto.agent.v1.AgentProto.Failure;
import io.csi4j.proto.agent.v1.AgentProto.Forgotten;
import io.csi4j.proto.agent.v1.AgentProto.MetadataPage;
import io.csi4j.proto.agent.v1.AgentProto.Origin;
import io.csi4j.proto.agent.v1.AgentProto.PluginCall;
import io.csi4j.proto.agent.v1.AgentProto.Refreshed;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * The gRPC service of an agent, which performs the calls that servers send to the agent's node. Only servers may call
 * this service, and no request contains a path. The service runs on the network threads, and starts only work that does
 * not block.
 */
public final class AgentService extends AgentGrpc.AgentImplBase {
    private static final Origin US = Origin.ORIGIN_AGENT;

    private final NodeId node;
    private final PluginRegistry registry;
    private final VolumeMounter volumes;
    private final WireContext wire;
    private final PeerMessages messages = new PeerMessages();

    public AgentService(NodeId node, NodeRuntime runtime, WireContext wire) {
        this.wire = wire;
        this.node = node;
        this.registry = runtime.registry();
        this.volumes = runtime.volumes();
    }

    @Override
    public void call(AgentCall call, StreamObserver<AgentAnswer> out) {
        WireCaller peer = PeerInterceptor.current();
        messages.serve(
                peer,
                call,
                out,
                () -> Futures.cancelledOn(wire.executor(), work(peer, call)),
                failure -> failed(written(failure)));
    }

    /** Returns the failure as a message. An IllegalArgumentException means that the request could not be decoded. */
    private static Failure written(Throwable failure) {
        return Futures.unwrap(failure) instanceof IllegalArgumentException invalid
                ? FailureCodec.invalid(US, String.valueOf(invalid.getMessage()))
                : FailureCodec.write(failure, US);
    }

    private CompletableFuture<AgentAnswer> work(WireCaller peer, AgentCall call) {
        if (!peer.server()) {
            return refused(FailureCodec.denied(
                    US,
                    "the agent of node " + node + " obeys servers only, and " + peer.name()
                            + " is none; see the rules for peers"));
        }
        Optional<Failure> version = ProtocolVersion.refusal(call.getVersion(), US);
        if (version.isPresent()) {
            return refused(version.get());
        }
        if (!call.getNodeId().equals(node.value())) {
            return refused(FailureCodec.unavailable(
                    US, "this is the agent of node " + node + "; correct the directory of nodes"));
        }
        return switch (call.getCallCase()) {
            // Relays the call and its response on network threads, because sending a message never blocks.
            case PLUGIN -> plugin(call.getPlugin(), call.getDeadlineMillis(), AgentService::answered);
            case METADATA -> plugin(call.getMetadata(), call.getDeadlineMillis(), AgentService::page);
            case DETACH ->
                within(
                        call,
                        "the detach",
                        WatchedUnmount.start(
                                volumes, NodeRequestCodec.unmount(call.getDetach()), wire.timer(), wire.executor()),
                        done -> answer().setDetached(NodeRequestCodec.write(done)));
            case EXPAND ->
                within(
                        call,
                        Rpc.NODE_EXPAND_VOLUME.csiName(),
                        volumes.expand(NodeRequestCodec.read(call.getExpand())),
                        grown -> answer().setExpanded(Expanded.newBuilder().setCapacityBytes(grown.capacityBytes())));
            case STATS ->
                within(
                        call,
                        Rpc.NODE_GET_VOLUME_STATS.csiName(),
                        volumes.stats(NodeRequestCodec.query(call.getStats().getUse())),
                        stats -> answer().setStats(NodeHealthCodec.write(stats)));
            case HEALTH ->
                within(
                        call,
                        Rpc.NODE_GET_VOLUME_HEALTH.csiName(),
                        volumes.health(NodeRequestCodec.query(call.getHealth().getUse())),
                        health -> answer().setHealth(NodeHealthCodec.write(health)));
            case STORAGE_HEALTH ->
                within(
                        call,
                        Rpc.NODE_GET_STORAGE_HEALTH.csiName(),
                        volumes.storageHealth(NodeRequestCodec.read(call.getStorageHealth())),
                        health -> answer().setStorageHealth(NodeHealthCodec.write(health)));
            case REFRESH ->
                within(
                        call,
                        Rpc.NODE_GET_INFO.csiName(),
                        registry.refreshNodeInfo(PluginId.of(call.getRefresh().getPluginId())),
                        done -> answer().setRefreshed(Refreshed.getDefaultInstance()));
            case PLUGIN_INFO ->
                within(
                        call,
                        Rpc.GET_PLUGIN_INFO.csiName(),
                        registry.pluginInfo(PluginId.of(call.getPluginInfo().getPluginId())),
                        info -> answer().setPluginInfo(PluginInfoCodec.write(info)));
            case REPORT ->
                within(
                        call,
                        "the report of the volumes",
                        volumes.report(),
                        report -> answer().setReport(NodeReportCodec.write(report)));
            case FORGET -> {
                NodeForget order = NodeReportCodec.read(call.getForget());
                yield within(
                        call,
                        "the order to forget an unmount",
                        volumes.forgetUnmount(order.volume(), order.allocationId(), order.operator(), order.reason()),
                        done -> answer().setForgotten(Forgotten.getDefaultInstance()));
            }
            case LEDGER ->
                within(
                        call,
                        "the report of what is mounted",
                        volumes.ledger(),
                        report -> answer().setLedger(NodeRequestCodec.write(report)));
            case CALL_NOT_SET -> refused(unknown("what it is asked to do"));
        };
    }

    /**
     * Limits work of the node to slightly less than the server's deadline, so that the agent can still report the time-out. Calls to the
     * plugin that are in flight are then cancelled.
     */
    private <R> CompletableFuture<AgentAnswer> within(
            AgentCall call, String what, CompletableFuture<R> started, Function<R, AgentAnswer.Builder> answer) {
        CompletableFuture<AgentAnswer> work = answered(started, answer);
        if (call.getDeadlineMillis() <= 0) {
            return work;
        }
        Duration limit = Duration.ofMillis(call.getDeadlineMillis());
        return new Timeouts(wire.timer(), wire.executor())
                .limitOrCancel(
                        work,
                        limit,
                        late -> late.complete(failed(FailureCodec.tooLate(
                                US,
                                what + " was not over within " + limit.toMillis()
                                        + " ms. Whether it took effect is not known: call again with"
                                        + " the same fields."))));
    }

    /** Returns the failure for a request whose kind is missing or known only to a newer version. */
    private static Failure unknown(String what) {
        return FailureCodec.invalid(US, "").toBuilder()
                .setCode(StatusCode.UNIMPLEMENTED.number())
                .setOutcome(io.csi4j.proto.agent.v1.AgentProto.Outcome.OUTCOME_NEVER)
                .setMessage("this agent, which speaks version " + ProtocolVersion.MAJOR + "." + ProtocolVersion.MINOR
                        + ", does not know " + what + "; update it")
                .build();
    }

    /** A call that is made with the client of a plugin. */
    @FunctionalInterface
    private interface ClientCall {
        CompletableFuture<AgentAnswer> make(CsiClient client, RelayedCall call, Duration deadline);
    }

    private CompletableFuture<AgentAnswer> plugin(PluginCall call, long millis, ClientCall asked) {
        InstanceKey key = IdCodec.read(node, call.getInstance());
        Optional<Rpc> rpc = Rpc.ofCsiName(call.getRpc());
        if (rpc.isEmpty()) {
            return refused(unknown("the RPC it is asked to call"));
        }
        RelayedCall relayed = RelayedCall.of(rpc.get(), call.getRequest().toByteArray());
        Duration deadline = millis > 0
                ? Duration.ofMillis(millis)
                : CallDeadlines.ofDefaults().of(rpc.get());
        return ControllerCalls.call(
                registry,
                key,
                client -> asked.make(client, relayed, deadline),
                reason -> refused(FailureCodec.unavailable(US, relayed.redacted(reason))));
    }

    private static CompletableFuture<AgentAnswer> answered(CsiClient client, RelayedCall call, Duration deadline) {
        return answered(
                client.relay(Runnable::run).relay(call, deadline),
                bytes -> answer().setResponse(ByteString.copyFrom(bytes)));
    }

    private static CompletableFuture<AgentAnswer> page(CsiClient client, RelayedCall call, Duration deadline) {
        return answered(
                client.relay().page(call, deadline),
                page -> answer().setMetadata(MetadataPage.newBuilder()
                        .addAllMessages(page.messages().stream()
                                .map(ByteString::copyFrom)
                                .toList())
                        .setComplete(page.complete())));
    }

    private static <R> CompletableFuture<AgentAnswer> answered(
            CompletableFuture<R> work, Function<R, AgentAnswer.Builder> answer) {
        return Futures.map(work, done -> answer.apply(done).build());
    }

    private static AgentAnswer.Builder answer() {
        return AgentAnswer.newBuilder().setVersion(ProtocolVersion.OURS);
    }

    private static AgentAnswer failed(Failure failure) {
        return answer().setFailure(failure).build();
    }

    private static CompletableFuture<AgentAnswer> refused(Failure failure) {
        return CompletableFuture.completedFuture(failed(failure));
    }
}
