package io.csi4j.agent;

import static io.csi4j.agent.Ground.MONOLITH;
import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.PLUGIN;
import static io.csi4j.agent.Ground.failure;
import static io.csi4j.agent.Ground.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.Message;
import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.CallDeadlines;
import io.csi4j.client.Endpoint;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.metadata.MetadataPage;
import io.csi4j.core.rpc.GetMetadataAllocatedRequest;
import io.csi4j.core.rpc.GetMetadataAllocatedResponse;
import io.csi4j.core.rpc.GetMetadataDeltaRequest;
import io.csi4j.proto.csi.v1.BlockMetadata;
import io.csi4j.proto.csi.v1.BlockMetadataType;
import io.csi4j.proto.csi.v1.GetPluginCapabilitiesResponse;
import io.csi4j.proto.csi.v1.PluginCapability;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import io.grpc.stub.StreamObserver;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Flow;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams of snapshot metadata from a plugin on a node to a server: straight, over another server, and interrupted. */
class AgentSnapshotMetadataTest {
    private static final SnapshotId SNAPSHOT = SnapshotId.of("snap-1");
    /** In each message; about 5 bytes a range, so that 200,000 ranges need more than one page. */
    private static final int RANGES = 2_000;

    private static final int MESSAGES = 200;
    private static final long SIZE = 2L * RANGES * MESSAGES;
    private static final GetMetadataAllocatedRequest REQUEST = GetMetadataAllocatedRequest.builder(SNAPSHOT)
            .secrets(Secrets.of(Map.of("token", "t0ken")))
            .build();

    private Ground ground;
    private NodeAgent agent;
    private ScriptedPlugin plugin;
    private RemoteNodeGateway far;

    @BeforeEach
    void start() throws Exception {
        start(AgentSnapshotMetadataTest::servesMetadata);
    }

    private void start(Consumer<ScriptedPlugin> script) throws Exception {
        ground = new Ground();
        Endpoint listen = ground.unix("agent-socket");
        Endpoint second = ground.unix("second");
        Endpoint server = ground.unix("server");
        agent = ground.start(ground.agent(listen, server));
        ground.routes.put(NODE, NodeRoute.direct(listen));
        ground.start(ground.server().listenToAgent(server, NODE).listenToServers(second));
        plugin = ground.plugin(agent, script);
        far = ground.gateway(CallDeadlines.ofDefaults(), node -> NodeRoute.via(second));
        ground.knows(true);
    }

    @AfterEach
    void stop() {
        ground.close();
    }

    private static void servesMetadata(ScriptedPlugin plugin) {
        plugin.on("GetPluginCapabilities", (request, out) -> {
            GetPluginCapabilitiesResponse.Builder reported = GetPluginCapabilitiesResponse.newBuilder();
            Stream.of(
                            PluginCapability.Service.Type.CONTROLLER_SERVICE,
                            PluginCapability.Service.Type.SNAPSHOT_METADATA_SERVICE)
                    .forEach(type -> reported.addCapabilities(PluginCapability.newBuilder()
                            .setService(PluginCapability.Service.newBuilder().setType(type))));
            ScriptedPlugin.ok(out, reported.build());
        });
        plugin.on("GetMetadataAllocated", AgentSnapshotMetadataTest::sendAll);
    }

    private static void sendAll(Message request, StreamObserver<Message> out) {
        send(request, out, MESSAGES);
        if (!((ServerCallStreamObserver<Message>) out).isCancelled()) {
            out.onCompleted();
        }
    }

    /** Every other byte of the volume is allocated. Sends messages up to a number, from the offset of the request. */
    private static void send(Message request, StreamObserver<Message> out, int messages) {
        long from = ((io.csi4j.proto.csi.v1.GetMetadataAllocatedRequest) request).getStartingOffset();
        for (int message = (int) (from / (2L * RANGES)); message < messages; message++) {
            var sent = io.csi4j.proto.csi.v1.GetMetadataAllocatedResponse.newBuilder()
                    .setBlockMetadataType(BlockMetadataType.FIXED_LENGTH)
                    .setVolumeCapacityBytes(SIZE);
            for (int i = 0; i < RANGES; i++) {
                long offset = 2L * (message * (long) RANGES + i);
                if (offset >= from) {
                    sent.addBlockMetadata(
                            BlockMetadata.newBuilder().setByteOffset(offset).setSizeBytes(1));
                }
            }
            if (((ServerCallStreamObserver<Message>) out).isCancelled()) {
                return;
            }
            out.onNext(sent.build());
        }
    }

    /** Counts ranges, and keeps their order in sight. */
    private static final class Counter implements Flow.Subscriber<GetMetadataAllocatedResponse> {
        final CompletableFuture<Long> end = new CompletableFuture<>();
        final List<Long> wrong = new ArrayList<>();
        private long ranges;
        private Flow.Subscription subscription;

        @Override
        public void onSubscribe(Flow.Subscription given) {
            subscription = given;
            given.request(1);
        }

        @Override
        public void onNext(GetMetadataAllocatedResponse message) {
            for (var range : message.blockMetadata()) {
                if (range.byteOffset() != 2 * ranges) {
                    wrong.add(range.byteOffset());
                }
                ranges++;
            }
            subscription.request(1);
        }

        @Override
        public void onError(Throwable failure) {
            end.completeExceptionally(failure);
        }

        @Override
        public void onComplete() {
            end.complete(ranges);
        }
    }

    private Counter stream(GetMetadataAllocatedRequest request) {
        Counter counter = new Counter();
        ground.lifecycle
                .snapshots()
                .metadata(PLUGIN)
                .getMetadataAllocated(request)
                .subscribe(counter);
        return counter;
    }

    @Test
    void streamLargerThanMessageLimitArrivesCompletelyAndInOrder() {
        Counter counter = stream(REQUEST);
        assertThat(get(counter.end)).isEqualTo((long) RANGES * MESSAGES);
        assertThat(counter.wrong).isEmpty();
        assertThat(plugin.count("GetMetadataAllocated")).isGreaterThan(1);
        var first = (io.csi4j.proto.csi.v1.GetMetadataAllocatedRequest) plugin.calls.stream()
                .filter(call -> call.rpc().equals("GetMetadataAllocated"))
                .findFirst()
                .orElseThrow()
                .request();
        assertThat(first.getSnapshotId()).isEqualTo("snap-1");
        assertThat(first.getSecretsMap()).containsExactly(Map.entry("token", "t0ken"));
    }

    @Test
    void brokenStreamIsResumedWhereItBroke() {
        plugin.on("GetMetadataAllocated", (request, out) -> {
            if (plugin.count("GetMetadataAllocated") < 3) {
                send(request, out, 3 + (int) plugin.count("GetMetadataAllocated"));
                ScriptedPlugin.fail(out, Status.UNAVAILABLE);
            } else {
                sendAll(request, out);
            }
        });
        Counter counter = stream(REQUEST);
        assertThat(get(counter.end)).isEqualTo((long) RANGES * MESSAGES);
        assertThat(counter.wrong).isEmpty();
    }

    @Test
    void pluginRefusalArrivesWithItsStatusCode() {
        plugin.on("GetMetadataAllocated", (request, out) -> ScriptedPlugin.fail(out, Status.OUT_OF_RANGE));
        CsiCallException refused = failure(stream(REQUEST).end, CsiCallException.class);
        assertThat(refused.code()).isEqualTo(StatusCode.OUT_OF_RANGE);
        assertThat(refused.outcome()).isEqualTo(CallOutcome.CHANGE_REQUEST);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void pageArrivesStraightAndOverAnotherServer(boolean viaAnother) {
        MetadataPage<GetMetadataAllocatedResponse> page = get(
                (viaAnother ? far : ground.gateway).snapshotMetadata(MONOLITH).allocated(REQUEST));
        assertThat(page.complete()).isFalse();
        assertThat(page.messages()).isNotEmpty();
        assertThat(page.messages().get(0).volumeCapacityBytes()).isEqualTo(SIZE);
    }

    @Test
    void deltaRequestReachesPluginWithBothSnapshots() throws Exception {
        get(ground.gateway
                .snapshotMetadata(MONOLITH)
                .delta(GetMetadataDeltaRequest.builder(SnapshotId.of("snap-0"), SNAPSHOT)
                        .maxResults(7)
                        .build()));
        var asked = (io.csi4j.proto.csi.v1.GetMetadataDeltaRequest)
                plugin.next("GetMetadataDelta").request();
        assertThat(List.of(asked.getBaseSnapshotId(), asked.getTargetSnapshotId()))
                .containsExactly("snap-0", "snap-1");
        assertThat(asked.getMaxResults()).isEqualTo(7);
    }

    @Test
    void pluginWithoutSnapshotMetadataServiceIsNotCalled() throws Exception {
        ground.close();
        start(plugin -> {});
        CsiRequestException refused =
                failure(ground.gateway.snapshotMetadata(MONOLITH).allocated(REQUEST), CsiRequestException.class);
        assertThat(refused).hasMessageContaining("SNAPSHOT_METADATA_SERVICE");
        assertThat(plugin.count("GetMetadataAllocated")).isZero();
    }
}
