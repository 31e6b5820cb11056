package io.csi4j.agent;

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
import io.csi4j.core.call.CallRules;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.MountVolume;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.StorageBackendHealth;
import io.csi4j.core.csi.StorageHealthStatus;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeCondition;
import io.csi4j.core.csi.VolumeHealth;
import io.csi4j.core.csi.VolumeHealthEntry;
import io.csi4j.core.csi.VolumeHealthStatus;
import io.csi4j.core.csi.VolumeUsage;
import io.csi4j.core.csi.VolumeUsageUnit;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.HealthVerdict;
import io.csi4j.core.lifecycle.StorageHealthReport;
import io.csi4j.core.lifecycle.VolumeHealthReport;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.node.MountedVolume;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.proto.csi.v1.NodeExpandVolumeRequest;
import io.csi4j.proto.csi.v1.NodeExpandVolumeResponse;
import io.csi4j.proto.csi.v1.NodeGetCapabilitiesResponse;
import io.csi4j.proto.csi.v1.NodeGetStorageHealthRequest;
import io.csi4j.proto.csi.v1.NodeGetVolumeHealthRequest;
import io.csi4j.proto.csi.v1.NodeGetVolumeStatsRequest;
import io.csi4j.proto.csi.v1.NodeServiceCapability;
import io.csi4j.proto.csi.v1.NodeStageVolumeRequest;
import io.csi4j.proto.csi.v1.VolumeCapability.AccessMode;
import io.grpc.Status;
import io.grpc.stub.ServerCallStreamObserver;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What servers ask of a volume that is mounted: usage, health, and that it grows. Straight, and over another server. */
class AgentQueriesTest {
    private static final VolumeKey KEY = VolumeKey.of("default", "db");
    private static final ExternalVolumeId EXTERNAL = ExternalVolumeId.of("ext-db");
    private static final AllocationId WEB = AllocationId.of("web-1");
    private static final MountOptions OPTIONS = MountOptions.of("ext4", "noatime");
    private static final NodeVolumeQuery QUERY = new NodeVolumeQuery(KEY, PLUGIN, EXTERNAL, WEB);
    private static final StorageHealthQuery STORAGE =
            new StorageHealthQuery(PLUGIN, Secrets.of(Map.of("token", "t0ken")));
    private static final NodeExpand EXPAND = new NodeExpand(
            KEY,
            PLUGIN,
            EXTERNAL,
            WEB,
            Ground.WRITER,
            OPTIONS,
            new CapacityRange(1 << 20, 1 << 21),
            Secrets.of(Map.of("token", "t0ken")));

    /** One thing that is asked. */
    enum Ask {
        STATS(Rpc.NODE_GET_VOLUME_STATS),
        HEALTH(Rpc.NODE_GET_VOLUME_HEALTH),
        EXPANSION(Rpc.NODE_EXPAND_VOLUME);

        private final Rpc rpc;

        Ask(Rpc rpc) {
            this.rpc = rpc;
        }

        CompletableFuture<?> of(RemoteNodeGateway gateway) {
            return switch (this) {
                case STATS -> gateway.volumeStats(NODE, QUERY);
                case HEALTH -> gateway.volumeHealth(NODE, QUERY);
                case EXPANSION -> gateway.expand(NODE, EXPAND);
            };
        }
    }

    private Ground ground;
    private NodeAgent agent;
    private ScriptedPlugin plugin;
    private RemoteNodeGateway far;
    private MountedVolume mounted;
    private NodeStageVolumeRequest staged;

    @BeforeEach
    void start() throws Exception {
        ground = new Ground();
        Endpoint listen = ground.unix("agent-socket");
        Endpoint second = ground.unix("second");
        agent = ground.start(ground.agent(listen, ground.unix("nowhere")));
        plugin = ground.plugin(agent, AgentQueriesTest::stages);
        ground.routes.put(NODE, NodeRoute.direct(listen));
        ground.start(ground.server().listenToServers(second));
        far = ground.gateway(CallDeadlines.ofDefaults(), node -> NodeRoute.via(second));
        mounted = get(agent.volumes()
                .mount(NodeMount.builder(new NodeVolumeId(KEY, PLUGIN, EXTERNAL), WEB, Ground.WRITER)
                        .mountOptions(OPTIONS)
                        .build()));
        staged = (NodeStageVolumeRequest) plugin.next("NodeStageVolume").request();
    }

    @AfterEach
    void stop() {
        ground.close();
    }

    private static void stages(ScriptedPlugin plugin) {
        plugin.on("NodeGetCapabilities", (request, out) -> {
            var reported = NodeGetCapabilitiesResponse.newBuilder();
            Stream.of(
                            NodeServiceCapability.RPC.Type.STAGE_UNSTAGE_VOLUME,
                            NodeServiceCapability.RPC.Type.GET_VOLUME_STATS,
                            NodeServiceCapability.RPC.Type.EXPAND_VOLUME,
                            NodeServiceCapability.RPC.Type.GET_VOLUME_HEALTH,
                            NodeServiceCapability.RPC.Type.GET_STORAGE_HEALTH)
                    .forEach(type -> reported.addCapabilities(NodeServiceCapability.newBuilder()
                            .setRpc(NodeServiceCapability.RPC.newBuilder().setType(type))));
            ScriptedPlugin.ok(out, reported.build());
        });
    }

    private void answers(Rpc rpc, Message answer) {
        plugin.on(rpc.csiName(), (request, out) -> ScriptedPlugin.ok(out, answer));
    }

    @Test
    @SuppressWarnings("deprecation") // the condition is told by plugins until CSI 1.12
    void volumeUsageArrivesWithAllFields() throws Exception {
        answers(
                Ask.STATS.rpc,
                io.csi4j.proto.csi.v1.NodeGetVolumeStatsResponse.newBuilder()
                        .addUsage(io.csi4j.proto.csi.v1.VolumeUsage.newBuilder()
                                .setAvailable(70)
                                .setTotal(100)
                                .setUsed(30)
                                .setUnit(io.csi4j.proto.csi.v1.VolumeUsage.Unit.BYTES))
                        .addUsage(io.csi4j.proto.csi.v1.VolumeUsage.newBuilder()
                                .setAvailable(7)
                                .setTotal(10)
                                .setUsed(3)
                                .setUnit(io.csi4j.proto.csi.v1.VolumeUsage.Unit.INODES))
                        .setVolumeCondition(io.csi4j.proto.csi.v1.VolumeCondition.newBuilder()
                                .setAbnormal(true)
                                .setMessage("a disk is slow"))
                        .build());
        NodeGetVolumeStatsResponse expected = new NodeGetVolumeStatsResponse(
                List.of(
                        new VolumeUsage(70, 100, 30, VolumeUsageUnit.BYTES),
                        new VolumeUsage(7, 10, 3, VolumeUsageUnit.INODES)),
                Optional.of(new VolumeCondition(true, "a disk is slow")));

        assertThat(get(ground.gateway.volumeStats(NODE, QUERY))).isEqualTo(expected);
        assertThat(get(far.volumeStats(NODE, QUERY))).isEqualTo(expected);

        assertThat(plugin.next("NodeGetVolumeStats").request())
                .isEqualTo(NodeGetVolumeStatsRequest.newBuilder()
                        .setVolumeId("ext-db")
                        .setVolumePath(mounted.targetPath().toString())
                        .setStagingTargetPath(staged.getStagingTargetPath())
                        .build());
    }

    @Test
    void volumeHealthArrivesWithAllFields() throws Exception {
        answers(
                Ask.HEALTH.rpc,
                io.csi4j.proto.csi.v1.NodeGetVolumeHealthResponse.newBuilder()
                        .setVolumeHealth(io.csi4j.proto.csi.v1.VolumeHealth.newBuilder()
                                .setVolumeId("ext-db")
                                .addHealthStatuses(io.csi4j.proto.csi.v1.VolumeHealth.VolumeHealthEntry.newBuilder()
                                        .setStatusValue(VolumeHealthStatus.DEGRADED.number())
                                        .setReason("Rebuild")
                                        .setMessage("one of three copies is missing"))
                                .addHealthStatuses(io.csi4j.proto.csi.v1.VolumeHealth.VolumeHealthEntry.newBuilder()
                                        .setStatusValue(99)
                                        .setReason("News")
                                        .setMessage("of a later version")))
                        .build());
        NodeGetVolumeHealthResponse expected = new NodeGetVolumeHealthResponse(Optional.of(new VolumeHealth(
                EXTERNAL,
                List.of(
                        new VolumeHealthEntry(
                                VolumeHealthStatus.DEGRADED, 1, "Rebuild", "one of three copies is missing"),
                        new VolumeHealthEntry(VolumeHealthStatus.UNKNOWN, 99, "News", "of a later version")))));

        assertThat(get(ground.gateway.volumeHealth(NODE, QUERY))).isEqualTo(expected);
        assertThat(get(far.volumeHealth(NODE, QUERY))).isEqualTo(expected);

        assertThat(plugin.next("NodeGetVolumeHealth").request())
                .isEqualTo(NodeGetVolumeHealthRequest.newBuilder()
                        .setVolumeId("ext-db")
                        .setVolumePublishPath(mounted.targetPath().toString())
                        .setStagingTargetPath(staged.getStagingTargetPath())
                        .build());
    }

    @Test
    void storageHealthArrivesWithAllFields() throws Exception {
        io.csi4j.proto.csi.v1.NodeGetStorageHealthResponse.Builder reported =
                io.csi4j.proto.csi.v1.NodeGetStorageHealthResponse.newBuilder();
        reported.addBackendHealthBuilder()
                .setStatusValue(StorageHealthStatus.STORAGE_UNREACHABLE.number())
                .setReason("NoRoute")
                .setMessage("the target does not answer")
                .getVolumeCapabilityBuilder()
                .setMount(io.csi4j.proto.csi.v1.VolumeCapability.MountVolume.newBuilder()
                        .setFsType("xfs")
                        .addMountFlags("ro"))
                .getAccessModeBuilder()
                .setMode(AccessMode.Mode.MULTI_NODE_MULTI_WRITER);
        reported.addBackendHealthBuilder()
                .setStatusValue(StorageHealthStatus.STORAGE_DEGRADED.number())
                .setReason("Slow")
                .getVolumeCapabilityBuilder()
                .setBlock(io.csi4j.proto.csi.v1.VolumeCapability.BlockVolume.getDefaultInstance())
                .getAccessModeBuilder()
                .setMode(AccessMode.Mode.SINGLE_NODE_WRITER);
        reported.addBackendHealthBuilder().setStatusValue(99).setReason("News").setMessage("of a later version");
        answers(Rpc.NODE_GET_STORAGE_HEALTH, reported.build());
        StorageBackendHealth away = new StorageBackendHealth(
                StorageHealthStatus.STORAGE_UNREACHABLE,
                2,
                "NoRoute",
                "the target does not answer",
                Optional.of(VolumeCapability.mount(
                        io.csi4j.core.csi.VolumeAccessMode.MULTI_NODE_MULTI_WRITER,
                        MountVolume.builder()
                                .fsType("xfs")
                                .mountFlags(MountFlags.of(List.of("ro")))
                                .build())));
        StorageBackendHealth slow = new StorageBackendHealth(
                StorageHealthStatus.STORAGE_DEGRADED,
                1,
                "Slow",
                "",
                Optional.of(VolumeCapability.block(io.csi4j.core.csi.VolumeAccessMode.SINGLE_NODE_WRITER)));
        StorageBackendHealth news = new StorageBackendHealth(
                StorageHealthStatus.UNKNOWN, 99, "News", "of a later version", Optional.empty());
        List<StorageBackendHealth> expected = List.of(away, slow, news);

        assertThat(get(ground.gateway.storageHealth(NODE, STORAGE)).backendHealth())
                .isEqualTo(expected);
        assertThat(get(far.storageHealth(NODE, STORAGE)).backendHealth()).isEqualTo(expected);
        assertThat(get(agent.volumes().storageHealth(STORAGE)).backendHealth()).isEqualTo(expected);
        assertThat(StorageHealthReport.of(expected))
                .isEqualTo(new StorageHealthReport(HealthVerdict.ABNORMAL, List.of(away, slow)));
        for (int i = 0; i < 3; i++) {
            assertThat(plugin.next("NodeGetStorageHealth").request())
                    .isEqualTo(NodeGetStorageHealthRequest.newBuilder()
                            .putSecrets("token", "t0ken")
                            .build());
        }
    }

    @Test
    void refusedStorageHealthQueryFailsWithStatusCodeOfPlugin() {
        plugin.on(
                "NodeGetStorageHealth",
                (request, out) -> ScriptedPlugin.fail(out, Status.UNAUTHENTICATED.withDescription("who are you")));
        for (RemoteNodeGateway gateway : List.of(ground.gateway, far)) {
            CsiCallException failure = failure(gateway.storageHealth(NODE, STORAGE), CsiCallException.class);
            assertThat(failure.rpc()).isEqualTo(Rpc.NODE_GET_STORAGE_HEALTH);
            assertThat(failure.code()).isEqualTo(StatusCode.UNAUTHENTICATED);
            assertThat(failure.volume()).isEmpty();
            assertThat(failure).hasMessageContaining("who are you").hasMessageNotContaining("t0ken");
        }
        assertThat(failure(
                                ground.gateway.storageHealth(NODE, StorageHealthQuery.of(PluginId.of("stranger"))),
                                CsiCallException.class)
                        .code())
                .isEqualTo(StatusCode.UNAVAILABLE);
    }

    @Test
    void cancelledStorageHealthQueryIsCancelledAtPlugin() throws Exception {
        for (RemoteNodeGateway gateway : List.of(ground.gateway, far)) {
            CompletableFuture<Void> cancelled = new CompletableFuture<>();
            plugin.on(
                    "NodeGetStorageHealth",
                    (request, out) ->
                            ((ServerCallStreamObserver<?>) out).setOnCancelHandler(() -> cancelled.complete(null)));
            CompletableFuture<?> call = gateway.storageHealth(NODE, STORAGE);
            plugin.next("NodeGetStorageHealth");
            call.cancel(false);
            get(cancelled);
        }
    }

    /** One model for whoever sits on the node, too. */
    @Test
    void nodeReportsVolumeHealth() {
        answers(
                Ask.HEALTH.rpc,
                io.csi4j.proto.csi.v1.NodeGetVolumeHealthResponse.newBuilder()
                        .setVolumeHealth(io.csi4j.proto.csi.v1.VolumeHealth.newBuilder()
                                .setVolumeId("ext-db")
                                .addHealthStatuses(io.csi4j.proto.csi.v1.VolumeHealth.VolumeHealthEntry.newBuilder()
                                        .setStatusValue(VolumeHealthStatus.DATA_LOSS.number())
                                        .setReason("Lost")))
                        .build());
        assertThat(get(agent.volumes().healthReport(QUERY)))
                .isEqualTo(new VolumeHealthReport(
                        HealthVerdict.ABNORMAL,
                        List.of(new VolumeHealthEntry(VolumeHealthStatus.DATA_LOSS, 3, "Lost", ""))));
    }

    /** A plugin may have nothing to tell. */
    @Test
    void emptyHealthResponseArrives() {
        assertThat(get(ground.gateway.volumeStats(NODE, QUERY)))
                .isEqualTo(new NodeGetVolumeStatsResponse(List.of(), Optional.empty()));
        assertThat(get(ground.gateway.volumeHealth(NODE, QUERY)))
                .isEqualTo(new NodeGetVolumeHealthResponse(Optional.empty()));
        assertThat(get(ground.gateway.expand(NODE, EXPAND))).isEqualTo(new NodeExpansion(0));
    }

    /** File system, flags and secrets go along, and the paths are the agent's. */
    @Test
    void expansionArrivesWithAllFields() throws Exception {
        answers(
                Ask.EXPANSION.rpc,
                NodeExpandVolumeResponse.newBuilder().setCapacityBytes(3 << 19).build());

        assertThat(get(ground.gateway.expand(NODE, EXPAND))).isEqualTo(new NodeExpansion(3 << 19));
        assertThat(get(far.expand(NODE, EXPAND))).isEqualTo(new NodeExpansion(3 << 19));

        for (int i = 0; i < 2; i++) {
            assertThat(plugin.next("NodeExpandVolume").request())
                    .isEqualTo(NodeExpandVolumeRequest.newBuilder()
                            .setVolumeId("ext-db")
                            .setVolumePath(mounted.targetPath().toString())
                            .setStagingTargetPath(staged.getStagingTargetPath())
                            .setCapacityRange(io.csi4j.proto.csi.v1.CapacityRange.newBuilder()
                                    .setRequiredBytes(1 << 20)
                                    .setLimitBytes(1 << 21))
                            .setVolumeCapability(io.csi4j.proto.csi.v1.VolumeCapability.newBuilder()
                                    .setMount(io.csi4j.proto.csi.v1.VolumeCapability.MountVolume.newBuilder()
                                            .setFsType("ext4")
                                            .addMountFlags("noatime"))
                                    .setAccessMode(AccessMode.newBuilder().setMode(AccessMode.Mode.SINGLE_NODE_WRITER)))
                            .putSecrets("token", "t0ken")
                            .build());
        }
    }

    /** R33: code, class, plugin and volume are those that a caller on the node would get, whatever the way. */
    @ParameterizedTest
    @EnumSource
    void queryRefusedByPluginFailsWithStatusCodeOfPlugin(Ask ask) {
        for (StatusCode code : StatusCode.values()) {
            if (code == StatusCode.OK) {
                continue;
            }
            for (RemoteNodeGateway gateway : List.of(ground.gateway, far)) {
                // While it is not known what came of the last one, a refusal of the same says nothing.
                answers(ask.rpc, io.csi4j.proto.csi.v1.NodeExpandVolumeResponse.getDefaultInstance());
                get(ask.of(gateway));
                plugin.on(
                        ask.rpc.csiName(),
                        (request, out) -> ScriptedPlugin.fail(
                                out, Status.fromCodeValue(code.number()).withDescription("it is so")));
                CsiCallException failure = failure(ask.of(gateway), CsiCallException.class);
                assertThat(failure.rpc()).isEqualTo(ask.rpc);
                assertThat(failure.code()).isEqualTo(code);
                assertThat(failure.outcome())
                        .as("%s", code)
                        .isEqualTo(CallRules.defaults().of(ask.rpc, code, false).outcome());
                assertThat(failure.plugin()).isEqualTo("ebs");
                assertThat(failure.volume()).contains("ext-db");
                assertThat(failure).hasMessageContaining("it is so").hasMessageContaining("reported by the agent");
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void cancelledQueryIsCancelledAtPlugin(Ask ask) throws Exception {
        for (RemoteNodeGateway gateway : List.of(ground.gateway, far)) {
            CompletableFuture<Void> cancelled = new CompletableFuture<>();
            silent(ask, cancelled);
            CompletableFuture<?> call = ask.of(gateway);
            plugin.next(ask.rpc.csiName());
            call.cancel(false);
            get(cancelled);
        }
        isStillInUse(ask);
    }

    private void silent(Ask ask, CompletableFuture<Void> cancelled) {
        plugin.on(
                ask.rpc.csiName(),
                (request, out) ->
                        ((ServerCallStreamObserver<?>) out).setOnCancelHandler(() -> cancelled.complete(null)));
    }

    /** The same can be asked again, and the volume be unmounted. */
    private void isStillInUse(Ask ask) {
        answers(ask.rpc, io.csi4j.proto.csi.v1.NodeExpandVolumeResponse.getDefaultInstance());
        get(ask.of(ground.gateway));
        get(ground.gateway.detach(
                NODE,
                new NodeDetach(
                        KEY,
                        PLUGIN,
                        EXTERNAL,
                        WEB,
                        Optional.empty(),
                        ClaimMode.WRITE,
                        Ground.WRITER,
                        MountOptions.none())));
        assertThat(plugin.count("NodeUnpublishVolume")).isEqualTo(1);
    }

    /** The agent gives up first and says so, and the plugin is told. */
    @ParameterizedTest
    @EnumSource
    void queryIsCancelledAtPluginWhenItsDeadlineEnds(Ask ask) {
        RemoteNodeGateway hasty = ground.gateway(CallDeadlines.ofDefaults().withAll(Duration.ofMillis(400)));
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        silent(ask, cancelled);

        CsiCallException failure = failure(ask.of(hasty), CsiCallException.class);

        assertThat(failure.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
        assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        assertThat(failure).hasMessageContaining(ask.rpc.csiName() + " was not over within 400 ms");
        get(cancelled);
        isStillInUse(ask);
    }

    /** A volume whose unmount hangs: the server hears of it in its time, and the unmount goes on. */
    @Test
    void detachDeadlineEndsOnlyTheWaitAndDetachContinues() throws Exception {
        RemoteNodeGateway hasty = ground.gateway(CallDeadlines.ofDefaults().withAll(Duration.ofMillis(200)));
        CompletableFuture<Runnable> unpublish = new CompletableFuture<>();
        plugin.on(
                "NodeUnpublishVolume",
                (request, out) -> unpublish.complete(() -> ScriptedPlugin.ok(
                        out, io.csi4j.proto.csi.v1.NodeUnpublishVolumeResponse.getDefaultInstance())));
        NodeDetach detach = new NodeDetach(
                KEY, PLUGIN, EXTERNAL, WEB, Optional.empty(), ClaimMode.WRITE, Ground.WRITER, MountOptions.none());

        CsiCallException failure = failure(hasty.detach(NODE, detach), CsiCallException.class);

        assertThat(failure.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
        assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        assertThat(failure).hasMessageContaining("the detach was not over within 400 ms");
        get(unpublish).run();
        get(ground.gateway.detach(NODE, detach));
        assertThat(plugin.count("NodeUnpublishVolume")).isEqualTo(1);
        assertThat(plugin.count("NodeUnstageVolume")).isEqualTo(1);
    }

    @ParameterizedTest
    @EnumSource
    void lostExpansionResponseLeavesOutcomeUnknown(Ask ask) throws Exception {
        plugin.on(ask.rpc.csiName(), (request, out) -> {});
        CompletableFuture<?> straight = ask.of(ground.gateway);
        plugin.next(ask.rpc.csiName());
        CompletableFuture<?> viaServer = ask.of(far);

        agent.close();

        for (CompletableFuture<?> call : List.of(straight, viaServer)) {
            CsiCallException failure = failure(call, CsiCallException.class);
            assertThat(failure.outcome()).as("%s", failure).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
            assertThat(failure.retryable()).isTrue();
        }
        assertThat(failure(straight, CsiCallException.class).code()).isNotEqualTo(StatusCode.UNAVAILABLE);
    }

    /** Without the capability it is refused at the agent. */
    @ParameterizedTest
    @EnumSource
    void queryIsNotSentIfPluginLacksCapability(Ask ask) throws Exception {
        Ground other = new Ground();
        try {
            Endpoint listen = other.unix("agent-socket");
            NodeAgent bare = other.start(other.agent(listen, other.unix("nowhere")));
            ScriptedPlugin poor = other.plugin(
                    bare,
                    each -> each.on(
                            "NodeGetCapabilities",
                            (request, out) ->
                                    ScriptedPlugin.ok(out, NodeGetCapabilitiesResponse.getDefaultInstance())));
            other.routes.put(NODE, NodeRoute.direct(listen));
            get(bare.volumes()
                    .mount(NodeMount.builder(new NodeVolumeId(KEY, PLUGIN, EXTERNAL), WEB, Ground.WRITER)
                            .build()));

            CsiCallException refused = failure(ask.of(other.gateway), CsiCallException.class);

            assertThat(refused.code()).isEqualTo(StatusCode.UNIMPLEMENTED);
            assertThat(refused.outcome()).isEqualTo(CallOutcome.NEVER);
            assertThat(poor.count(ask.rpc.csiName())).isZero();
        } finally {
            other.close();
        }
    }
}
