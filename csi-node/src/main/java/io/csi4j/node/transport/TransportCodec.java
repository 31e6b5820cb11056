package io.csi4j.node.transport;

import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import io.csi4j.client.RelayedCall;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.metadata.MetadataPage;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeDetached;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeForget;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.node.NodeMount;
import io.csi4j.node.internal.codec.AgentLimits;
import io.csi4j.node.internal.codec.EngineFailureCodec;
import io.csi4j.node.internal.codec.FailureCodec;
import io.csi4j.node.internal.codec.FingerprintCodec;
import io.csi4j.node.internal.codec.GrantCodec;
import io.csi4j.node.internal.codec.IdCodec;
import io.csi4j.node.internal.codec.NodeHealthCodec;
import io.csi4j.node.internal.codec.NodeReportCodec;
import io.csi4j.node.internal.codec.NodeRequestCodec;
import io.csi4j.node.internal.codec.PeerText;
import io.csi4j.node.internal.codec.PluginInfoCodec;
import io.csi4j.proto.agent.v1.AgentProto;
import io.csi4j.proto.agent.v1.AgentProto.ClaimedVolumes;
import io.csi4j.proto.agent.v1.AgentProto.Expanded;
import io.csi4j.proto.agent.v1.AgentProto.Failure;
import io.csi4j.proto.agent.v1.AgentProto.FailureKind;
import io.csi4j.proto.agent.v1.AgentProto.HostMessage;
import io.csi4j.proto.agent.v1.AgentProto.HostMessage.KindCase;
import io.csi4j.proto.agent.v1.AgentProto.Origin;
import io.csi4j.proto.agent.v1.AgentProto.PluginCall;
import io.csi4j.values.internal.UnknownFields;
import io.csi4j.values.internal.Values;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Encodes one kind of value that crosses a transport between servers and nodes, for a host with an RPC of its own. A decoded value equals
 * the encoded one. Each encoding contains its kind and its format, so bytes of another kind are refused. Safe for use by many threads.
 *
 * <p>The encodings of {@link #EXPAND}, {@link #STORAGE_QUERY}, {@link #RELAYED} and {@link #MOUNTS} contain secrets in clear text: send them
 * over encrypted connections only, and store none.
 *
 * @param <T> the type of the values
 */
public final class TransportCodec<T> {
    /** The largest number of bytes of an encoded value: 16 MiB. */
    public static final int MAX_BYTES = 16 << 20;

    /** The newest format that this version reads. */
    private static final int FORMAT = 1;

    /**
     * A failure. A {@link CsiException} of the operations in this class keeps its type: CsiCallException, CsiRequestException,
     * NotLeadingException, ClaimLostException, AccessDeniedException, NodeVolumeException, and RejectedException with the rejections of
     * claims and fingerprints. All others become a {@link RemoteFailureException} with the same message, summary and
     * {@link CsiException#retryable()}. Of a failure that is not a CsiException, only the class name is encoded, because its message may
     * contain secrets; it is retryable.
     */
    public static final TransportCodec<Throwable> FAILURE = new TransportCodec<>(
            KindCase.FAILURE,
            (failure, message) -> message.setFailure(FailureCodec.write(failure, Origin.ORIGIN_AGENT)),
            message -> failure(message.getFailure()));

    /** The request of {@link io.csi4j.core.spi.NodeGateway#detach}; the node needs {@link io.csi4j.node.NodeUnmount#of}. */
    public static final TransportCodec<NodeDetach> DETACH = new TransportCodec<>(
            KindCase.DETACH,
            (detach, message) -> message.setDetach(NodeRequestCodec.write(detach)),
            message -> NodeRequestCodec.read(message.getDetach()));

    /** The answer to a {@link #DETACH}. */
    public static final TransportCodec<NodeDetached> DETACHED = new TransportCodec<>(
            KindCase.DETACHED,
            (detached, message) -> message.setDetached(NodeRequestCodec.write(detached)),
            message -> NodeRequestCodec.read(message.getDetached()));

    /** The request of {@link io.csi4j.core.spi.NodeGateway#expand}. */
    public static final TransportCodec<NodeExpand> EXPAND = new TransportCodec<>(
            KindCase.EXPAND,
            (expand, message) -> message.setExpand(NodeRequestCodec.write(expand)),
            message -> NodeRequestCodec.read(message.getExpand()));

    /** The answer to an {@link #EXPAND}. */
    public static final TransportCodec<NodeExpansion> EXPANSION = new TransportCodec<>(
            KindCase.EXPANDED,
            (expansion, message) ->
                    message.setExpanded(Expanded.newBuilder().setCapacityBytes(expansion.capacityBytes())),
            message -> new NodeExpansion(message.getExpanded().getCapacityBytes()));

    /** The request of {@link io.csi4j.core.spi.NodeGateway#volumeStats} and {@code volumeHealth}. */
    public static final TransportCodec<NodeVolumeQuery> VOLUME_QUERY = new TransportCodec<>(
            KindCase.VOLUME_QUERY,
            (query, message) -> message.setVolumeQuery(NodeRequestCodec.use(query)),
            message -> NodeRequestCodec.query(message.getVolumeQuery()));

    /** The answer of {@link io.csi4j.core.spi.NodeGateway#volumeStats}. */
    public static final TransportCodec<NodeGetVolumeStatsResponse> VOLUME_STATS = new TransportCodec<>(
            KindCase.VOLUME_STATS,
            (stats, message) -> message.setVolumeStats(NodeHealthCodec.write(stats)),
            message -> NodeHealthCodec.stats(message.getVolumeStats()));

    /** The answer of {@link io.csi4j.core.spi.NodeGateway#volumeHealth}. */
    public static final TransportCodec<NodeGetVolumeHealthResponse> VOLUME_HEALTH = new TransportCodec<>(
            KindCase.VOLUME_HEALTH,
            (health, message) -> message.setVolumeHealth(NodeHealthCodec.write(health)),
            message -> NodeHealthCodec.health(message.getVolumeHealth()));

    /** The request of {@link io.csi4j.core.spi.NodeGateway#storageHealth}. */
    public static final TransportCodec<StorageHealthQuery> STORAGE_QUERY = new TransportCodec<>(
            KindCase.STORAGE_QUERY,
            (query, message) -> message.setStorageQuery(NodeRequestCodec.write(query)),
            message -> NodeRequestCodec.read(message.getStorageQuery()));

    /** The answer to a {@link #STORAGE_QUERY}. */
    public static final TransportCodec<NodeGetStorageHealthResponse> STORAGE_HEALTH = new TransportCodec<>(
            KindCase.STORAGE_HEALTH,
            (health, message) -> message.setStorageHealth(NodeHealthCodec.write(health)),
            message -> NodeHealthCodec.storageHealth(message.getStorageHealth()));

    /** The request of {@link io.csi4j.core.spi.NodeGateway#pluginInfo} and {@code refreshNodeInfo}. */
    public static final TransportCodec<PluginId> PLUGIN = new TransportCodec<>(
            KindCase.PLUGIN_ID,
            (plugin, message) -> message.setPluginId(plugin.value()),
            message -> PluginId.of(message.getPluginId()));

    /** The answer of {@link io.csi4j.core.spi.NodeGateway#pluginInfo}. */
    public static final TransportCodec<GetPluginInfoResponse> PLUGIN_INFO = new TransportCodec<>(
            KindCase.PLUGIN_INFO,
            (info, message) -> message.setPluginInfo(PluginInfoCodec.write(info)),
            message -> PluginInfoCodec.read(message.getPluginInfo()));

    /** The answer of {@link io.csi4j.core.spi.NodeGateway#report}. Long texts for operators are cut, and ages have milliseconds. */
    public static final TransportCodec<NodeReport> REPORT = new TransportCodec<>(
            KindCase.NODE_REPORT,
            (report, message) -> message.setNodeReport(NodeReportCodec.write(report)),
            message -> NodeReportCodec.read(message.getNodeReport()));

    /** The request of {@link io.csi4j.core.spi.NodeGateway#forget}. */
    public static final TransportCodec<NodeForget> FORGET = new TransportCodec<>(
            KindCase.FORGET,
            (order, message) -> message.setForget(NodeReportCodec.write(order)),
            message -> NodeReportCodec.read(message.getForget()));

    /** The answer of {@link io.csi4j.core.spi.NodeGateway#ledger}. */
    public static final TransportCodec<LedgerReport> LEDGER = new TransportCodec<>(
            KindCase.LEDGER,
            (report, message) -> message.setLedger(NodeRequestCodec.write(report)),
            message -> NodeRequestCodec.read(message.getLedger()));

    /** A call to a controller, for {@link io.csi4j.client.RelayedServices}. */
    public static final TransportCodec<RelayedRequest> RELAYED = new TransportCodec<>(
            KindCase.RELAYED,
            (request, message) -> message.setRelayed(AgentProto.RelayedRequest.newBuilder()
                    .setNodeId(request.instance().nodeId().value())
                    .setDeadlineMillis(request.deadline().toMillis())
                    .setCall(PluginCall.newBuilder()
                            .setInstance(IdCodec.write(request.instance()))
                            .setRpc(request.call().rpc().csiName())
                            .setRequest(ByteString.copyFrom(request.call().message())))),
            message -> relayed(message.getRelayed()));

    /** A page of snapshot metadata, the answer to a {@link #RELAYED} call of that service. */
    public static final TransportCodec<MetadataPage<byte[]>> PAGE = new TransportCodec<>(
            KindCase.PAGE,
            (page, message) -> message.setPage(AgentProto.MetadataPage.newBuilder()
                    .addAllMessages(
                            page.messages().stream().map(ByteString::copyFrom).toList())
                    .setComplete(page.complete())),
            message -> new MetadataPage<>(
                    message.getPage().getMessagesList().stream()
                            .map(ByteString::toByteArray)
                            .toList(),
                    message.getPage().getComplete()));

    /** The volumes that an allocation claims, for {@link io.csi4j.core.lifecycle.VolumeClaims#claim}. */
    public static final TransportCodec<List<ClaimRequest>> CLAIMS = new TransportCodec<>(
            KindCase.CLAIMS,
            (claims, message) -> message.setClaims(ClaimedVolumes.newBuilder()
                    .addAllVolumes(claims.stream().map(GrantCodec::write).toList())),
            message -> message.getClaims().getVolumesList().stream()
                    .map(GrantCodec::read)
                    .toList());

    /**
     * The answer to {@link #CLAIMS}: the mounts of a grant, see {@link NodeMount#of}. A mount of {@link NodeMount#forRequests} is refused,
     * because its node alone decides its number.
     */
    public static final TransportCodec<List<NodeMount>> MOUNTS = new TransportCodec<>(
            KindCase.MOUNTS,
            (mounts, message) -> message.setMounts(GrantCodec.write(mounts)),
            message -> GrantCodec.read(message.getMounts()));

    /** The report of {@link io.csi4j.client.registry.FingerprintSink}. */
    public static final TransportCodec<NodeFingerprint> FINGERPRINT = new TransportCodec<>(
            KindCase.FINGERPRINT,
            (report, message) -> message.setFingerprint(
                    FingerprintCodec.write(report).toBuilder().clearVersion()),
            message -> FingerprintCodec.read(
                    message.getFingerprint(),
                    Values.time(message.getFingerprint().getAt())));

    private final KindCase kind;
    private final Writer<T> writer;
    private final Reader<T> reader;

    private interface Writer<T> {
        void write(T value, HostMessage.Builder message);
    }

    private interface Reader<T> {
        T read(HostMessage message) throws InvalidProtocolBufferException;
    }

    private TransportCodec(KindCase kind, Writer<T> writer, Reader<T> reader) {
        this.kind = kind;
        this.writer = writer;
        this.reader = reader;
    }

    /**
     * Encodes a value.
     *
     * @throws IllegalArgumentException if the encoding is larger than {@link #MAX_BYTES}
     */
    public byte[] encode(T value) {
        HostMessage.Builder message = HostMessage.newBuilder().setFormat(FORMAT);
        writer.write(Objects.requireNonNull(value, "value"), message);
        byte[] encoded = message.build().toByteArray();
        if (encoded.length > MAX_BYTES) {
            throw new IllegalArgumentException(
                    name(kind) + " has " + encoded.length + " bytes; at most " + MAX_BYTES + " are sent");
        }
        return encoded;
    }

    /**
     * Decodes a value, which may come from a peer that is not trusted.
     *
     * @throws TransportFormatException if the bytes are too many, damaged, of another kind, or beyond a limit of csi4j, or if a newer
     *     version encoded them and this version does not know the format or a field
     */
    public T decode(byte[] encoded) {
        if (encoded.length > MAX_BYTES) {
            throw refused("it has " + encoded.length + " bytes, and at most " + MAX_BYTES + " are read", null);
        }
        try {
            HostMessage message = HostMessage.parseFrom(encoded);
            String unknown = UnknownFields.find(message);
            if (Integer.compareUnsigned(message.getFormat(), FORMAT) > 0 || unknown != null) {
                throw refused(
                        "a newer version of csi4j encoded it"
                                + (unknown == null
                                        ? " in format " + Integer.toUnsignedString(message.getFormat())
                                        : ", with " + unknown)
                                + "; upgrade this side first",
                        null);
            }
            if (message.getFormat() == 0) {
                throw refused("it has no format; it is no value of this class", null);
            }
            if (message.getKindCase() != kind) {
                throw refused("it is of the kind " + name(message.getKindCase()), null);
            }
            AgentLimits.check(message);
            return reader.read(message);
        } catch (InvalidProtocolBufferException e) {
            throw refused("it is damaged", e);
        } catch (IllegalArgumentException e) {
            throw refused(String.valueOf(e.getMessage()), e);
        }
    }

    private TransportFormatException refused(String problem, @Nullable Exception cause) {
        return new TransportFormatException("bytes for a " + name(kind) + " cannot be used: " + problem, cause);
    }

    private static String name(KindCase kind) {
        return kind == KindCase.KIND_NOT_SET ? "value that this version does not know" : kind.name();
    }

    private static RelayedRequest relayed(AgentProto.RelayedRequest request) {
        PluginCall call = request.getCall();
        Rpc rpc = Rpc.ofCsiName(call.getRpc())
                .orElseThrow(() -> new IllegalArgumentException("rpc: this version does not know it"));
        return new RelayedRequest(
                IdCodec.read(NodeId.of(request.getNodeId()), call.getInstance()),
                RelayedCall.of(rpc, call.getRequest().toByteArray()),
                Duration.ofMillis(request.getDeadlineMillis()));
    }

    private static Throwable failure(Failure failure) {
        if (failure.getKind() == FailureKind.FAILURE_KIND_NOT_LEADING) {
            return new NotLeadingException();
        }
        String said = PeerText.plain(failure.getMessage());
        return EngineFailureCodec.read(failure)
                .orElseGet(() -> failure.getSummary().isEmpty()
                        ? new RemoteFailureException(said, FailureCodec.mayRepeat(failure))
                        : new RemoteFailureException(
                                said, PeerText.plain(failure.getSummary()), FailureCodec.mayRepeat(failure)));
    }
}
