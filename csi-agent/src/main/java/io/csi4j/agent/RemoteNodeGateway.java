package io.csi4j.agent;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.csi4j.agent.internal.relay.AgentLink;
import io.csi4j.agent.internal.relay.CallContext;
import io.csi4j.agent.internal.relay.NodeDeadlines;
import io.csi4j.agent.internal.wire.WireChannels;
import io.csi4j.agent.internal.wire.WireContext;
import io.csi4j.agent.spi.NodeDirectory;
import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.CallDeadlines;
import io.csi4j.client.CallRelay;
import io.csi4j.client.RelayedCall;
import io.csi4j.client.RelayedServices;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.metadata.MetadataPage;
import io.csi4j.core.metadata.MetadataPages;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.rpc.ControllerService;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.GroupControllerService;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.AgentConnection;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeForget;
import io.csi4j.core.spi.NodeGateway;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.node.internal.codec.IdCodec;
import io.csi4j.node.internal.codec.NodeHealthCodec;
import io.csi4j.node.internal.codec.NodeReportCodec;
import io.csi4j.node.internal.codec.NodeRequestCodec;
import io.csi4j.node.internal.codec.PeerText;
import io.csi4j.node.internal.codec.PluginInfoCodec;
import io.csi4j.proto.agent.v1.AgentProto.AgentAnswer;
import io.csi4j.proto.agent.v1.AgentProto.AgentAnswer.ResultCase;
import io.csi4j.proto.agent.v1.AgentProto.AgentCall;
import io.csi4j.proto.agent.v1.AgentProto.LedgerCall;
import io.csi4j.proto.agent.v1.AgentProto.PluginCall;
import io.csi4j.proto.agent.v1.AgentProto.PluginInfoCall;
import io.csi4j.proto.agent.v1.AgentProto.QueryCall;
import io.csi4j.proto.agent.v1.AgentProto.RefreshCall;
import io.csi4j.proto.agent.v1.AgentProto.ReportCall;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/**
 * Calls the agents of nodes over the network, directly or through another server; see {@link NodeRoute}. The gateway
 * itself never retries a call. The agent retries the calls to its plugins. Thread-safe.
 *
 * <p>A call that was certainly not sent fails with UNAVAILABLE; a call with a lost response fails with another code and the outcome {@code OUTCOME_UNKNOWN}. Every
 * call has a deadline.
 */
public final class RemoteNodeGateway implements NodeGateway, AutoCloseable {
    private final WireContext wire;
    private final WireChannels channels;
    private final AgentLink link;
    private final CallDeadlines deadlines;
    private final Function<InstanceKey, Capabilities> capabilities;

    RemoteNodeGateway(
            WireContext wire,
            WireChannels channels,
            AgentLink link,
            CallDeadlines deadlines,
            Function<InstanceKey, Capabilities> capabilities) {
        this.wire = wire;
        this.channels = channels;
        this.link = link;
        this.deadlines = deadlines;
        this.capabilities = capabilities;
    }

    /**
     * Returns a builder.
     *
     * @param directory the routes to the agents
     */
    public static RemoteNodeGatewayBuilder builder(NodeDirectory directory) {
        Objects.requireNonNull(directory, "directory");
        return new RemoteNodeGatewayBuilder(directory);
    }

    @Override
    public ControllerService controller(InstanceKey instance) {
        Objects.requireNonNull(instance, "instance");
        return services(instance).controller();
    }

    @Override
    public GroupControllerService groupController(InstanceKey instance) {
        Objects.requireNonNull(instance, "instance");
        return services(instance).groupController();
    }

    @Override
    public MetadataPages snapshotMetadata(InstanceKey instance) {
        Objects.requireNonNull(instance, "instance");
        return services(instance).snapshotMetadata();
    }

    private RelayedServices services(InstanceKey instance) {
        return RelayedServices.over(
                new AgentRelay(instance), instance.pluginId().value(), deadlines, () -> capabilities.apply(instance));
    }

    /** Relays calls to the agent of a plugin's node. */
    private final class AgentRelay implements CallRelay {
        private final InstanceKey instance;

        AgentRelay(InstanceKey instance) {
            this.instance = instance;
        }

        @Override
        public CompletableFuture<byte[]> relay(RelayedCall call, Duration deadline) {
            return ask(
                    about(instance, call),
                    AgentCall.newBuilder().setPlugin(message(instance, call)),
                    deadline,
                    ResultCase.RESPONSE,
                    answer -> answer.getResponse().toByteArray());
        }

        @Override
        public CompletableFuture<MetadataPage<byte[]>> page(RelayedCall call, Duration deadline) {
            return ask(
                    about(instance, call),
                    AgentCall.newBuilder().setMetadata(message(instance, call)),
                    deadline,
                    ResultCase.METADATA,
                    answer -> new MetadataPage<>(
                            answer.getMetadata().getMessagesList().stream()
                                    .map(ByteString::toByteArray)
                                    .toList(),
                            answer.getMetadata().getComplete()));
        }
    }

    @Override
    public Optional<AgentConnection> agentConnection(NodeId nodeId) {
        Objects.requireNonNull(nodeId, "nodeId");
        return link.contacts().of(nodeId);
    }

    private static CallContext about(InstanceKey instance, RelayedCall call) {
        return new CallContext(
                call.rpc(),
                instance.pluginId().value(),
                call.subject().orElse(null),
                instance.nodeId(),
                call::redacted);
    }

    private static PluginCall message(InstanceKey instance, RelayedCall call) {
        return PluginCall.newBuilder()
                .setInstance(IdCodec.write(instance))
                .setRpc(call.rpc().csiName())
                .setRequest(ByteString.copyFrom(call.message()))
                .build();
    }

    @Override
    public CompletableFuture<NodeDetached> detach(NodeId nodeId, NodeDetach request) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(request, "request");
        CallContext about = about(Rpc.NODE_UNPUBLISH_VOLUME, nodeId, request.pluginId(), request.externalVolumeId());
        return ask(
                about,
                AgentCall.newBuilder().setDetach(NodeRequestCodec.write(request)),
                NodeDeadlines.detach(deadlines),
                ResultCase.DETACHED,
                answer -> read(about, () -> NodeRequestCodec.read(answer.getDetached())));
    }

    @Override
    public CompletableFuture<LedgerReport> ledger(NodeId nodeId) {
        Objects.requireNonNull(nodeId, "nodeId");
        CallContext about = CallContext.ofNode("the report of its ledger", nodeId);
        return ask(
                about,
                AgentCall.newBuilder().setLedger(LedgerCall.getDefaultInstance()),
                deadlines.of(Rpc.NODE_GET_INFO),
                ResultCase.LEDGER,
                answer -> read(about, () -> NodeRequestCodec.read(answer.getLedger())));
    }

    @SuppressWarnings("NullAway") // the only value of Void
    private static Void nothing() {
        return null;
    }

    @Override
    public CompletableFuture<NodeExpansion> expand(NodeId nodeId, NodeExpand request) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(request, "request");
        CallContext about = about(Rpc.NODE_EXPAND_VOLUME, nodeId, request.pluginId(), request.externalVolumeId());
        return ask(
                about,
                AgentCall.newBuilder().setExpand(NodeRequestCodec.write(request)),
                deadlines.of(Rpc.NODE_EXPAND_VOLUME),
                ResultCase.EXPANDED,
                answer -> new NodeExpansion(Math.max(0, answer.getExpanded().getCapacityBytes())));
    }

    @Override
    public CompletableFuture<NodeGetVolumeStatsResponse> volumeStats(NodeId nodeId, NodeVolumeQuery request) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(request, "request");
        CallContext about = about(Rpc.NODE_GET_VOLUME_STATS, nodeId, request.pluginId(), request.externalVolumeId());
        return ask(
                about,
                AgentCall.newBuilder().setStats(query(request)),
                deadlines.of(about.rpc()),
                ResultCase.STATS,
                answer -> read(about, () -> NodeHealthCodec.stats(answer.getStats())));
    }

    @Override
    public CompletableFuture<NodeGetVolumeHealthResponse> volumeHealth(NodeId nodeId, NodeVolumeQuery request) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(request, "request");
        CallContext about = about(Rpc.NODE_GET_VOLUME_HEALTH, nodeId, request.pluginId(), request.externalVolumeId());
        return ask(
                about,
                AgentCall.newBuilder().setHealth(query(request)),
                deadlines.of(about.rpc()),
                ResultCase.HEALTH,
                answer -> read(about, () -> NodeHealthCodec.health(answer.getHealth())));
    }

    @Override
    public CompletableFuture<NodeGetStorageHealthResponse> storageHealth(NodeId nodeId, StorageHealthQuery request) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(request, "request");
        CallContext about = about(Rpc.NODE_GET_STORAGE_HEALTH, nodeId, request.pluginId());
        return ask(
                about,
                AgentCall.newBuilder().setStorageHealth(NodeRequestCodec.write(request)),
                deadlines.of(about.rpc()),
                ResultCase.STORAGE_HEALTH,
                answer -> read(about, () -> NodeHealthCodec.storageHealth(answer.getStorageHealth())));
    }

    @Override
    public CompletableFuture<Void> refreshNodeInfo(NodeId nodeId, PluginId pluginId) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(pluginId, "pluginId");
        CallContext about = about(Rpc.NODE_GET_INFO, nodeId, pluginId);
        return ask(
                about,
                AgentCall.newBuilder().setRefresh(RefreshCall.newBuilder().setPluginId(pluginId.value())),
                NodeDeadlines.refresh(deadlines),
                ResultCase.REFRESHED,
                done -> nothing());
    }

    @Override
    public CompletableFuture<GetPluginInfoResponse> pluginInfo(NodeId nodeId, PluginId pluginId) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(pluginId, "pluginId");
        CallContext about = about(Rpc.GET_PLUGIN_INFO, nodeId, pluginId);
        return ask(
                about,
                AgentCall.newBuilder().setPluginInfo(PluginInfoCall.newBuilder().setPluginId(pluginId.value())),
                deadlines.of(about.rpc()),
                ResultCase.PLUGIN_INFO,
                answer -> read(about, () -> PluginInfoCodec.read(answer.getPluginInfo())));
    }

    @Override
    public CompletableFuture<NodeReport> report(NodeId nodeId) {
        Objects.requireNonNull(nodeId, "nodeId");
        CallContext about = CallContext.ofNode("the report of its volumes", nodeId);
        return ask(
                about,
                AgentCall.newBuilder().setReport(ReportCall.getDefaultInstance()),
                deadlines.of(Rpc.NODE_GET_INFO),
                ResultCase.REPORT,
                answer -> read(about, () -> NodeReportCodec.read(answer.getReport())));
    }

    @Override
    public CompletableFuture<Void> forget(NodeId nodeId, NodeForget request) {
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(request, "request");
        return ask(
                CallContext.ofNode("the order to forget the unmount of volume " + request.volume(), nodeId),
                AgentCall.newBuilder().setForget(NodeReportCodec.write(request)),
                NodeDeadlines.detach(deadlines),
                ResultCase.FORGOTTEN,
                done -> nothing());
    }

    private static CallContext about(Rpc rpc, NodeId nodeId, PluginId plugin) {
        return new CallContext(rpc, plugin.value(), null, nodeId, PeerText::plain);
    }

    private static QueryCall query(NodeVolumeQuery request) {
        return QueryCall.newBuilder().setUse(NodeRequestCodec.use(request)).build();
    }

    private static CallContext about(Rpc rpc, NodeId nodeId, PluginId plugin, ExternalVolumeId volume) {
        return new CallContext(rpc, plugin.value(), volume.value(), nodeId, PeerText::plain);
    }

    private <R> CompletableFuture<R> ask(
            CallContext about,
            AgentCall.Builder call,
            Duration deadline,
            ResultCase expected,
            Function<AgentAnswer, R> reader) {
        return Futures.map(
                link.send(about, call, deadline), answer -> read(about, answer, expected, reader), failure -> failure);
    }

    private static <R> R read(
            CallContext about, AgentAnswer answer, ResultCase expected, Function<AgentAnswer, R> reader) {
        if (answer.getResultCase() == ResultCase.FAILURE) {
            throw about.failed(answer.getFailure());
        }
        if (answer.getResultCase() != expected) {
            throw about.strange("it holds " + answer.getResultCase() + " where " + expected + " belongs");
        }
        return reader.apply(answer);
    }

    private static <R> R read(CallContext about, Reading<R> reading) {
        try {
            return reading.read();
        } catch (InvalidProtocolBufferException | IllegalArgumentException unreadable) {
            throw about.strange("it is no message of CSI");
        }
    }

    @FunctionalInterface
    private interface Reading<R> {
        R read() throws InvalidProtocolBufferException;
    }

    /** Returns the link over which calls of other servers are forwarded. */
    AgentLink link() {
        return link;
    }

    /** Closes the connections. Calls in flight fail with an unknown outcome. Does not wait. */
    @Override
    public void close() {
        wire.closing();
        channels.close();
        wire.close();
    }
}
