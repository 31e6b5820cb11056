package io.csi4j.agent;

import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.PLUGIN;
import static io.csi4j.agent.Ground.failure;
import static io.csi4j.agent.Ground.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.CallDeadlines;
import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.client.retry.RetryOptions;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import io.csi4j.core.state.StateScope;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.proto.csi.v1.ControllerPublishVolumeResponse;
import io.csi4j.proto.csi.v1.NodeGetInfoResponse;
import io.csi4j.proto.csi.v1.NodePublishVolumeResponse;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** A node says that it is full: how much room there is comes to the state anew (X6), over real sockets. */
class AgentCapacityTest {
    private static final Status FULL = Status.RESOURCE_EXHAUSTED.withDescription("no slot is left");

    private final AtomicLong limit = new AtomicLong(5);
    private Ground ground;
    private NodeAgent agent;
    private ScriptedPlugin plugin;
    private RemoteNodeGateway far;

    @BeforeEach
    void start() throws Exception {
        ground = new Ground();
        Endpoint listen = ground.unix("agent-socket");
        Endpoint server = ground.unix("server");
        Endpoint second = ground.unix("second");
        ground.start(ground.server().listenToAgent(server, NODE));
        agent = ground.start(ground.agent(listen, server)
                .clients(client -> client.retries(RetryOptions.none())
                        .deadlines(CallDeadlines.ofDefaults().with(Rpc.NODE_GET_INFO, Duration.ofSeconds(1))))
                .connections(ConnectionOptions.builder()
                        .nodeInfoSpacing(Duration.ofMillis(50))
                        .build()));
        plugin = ground.plugin(agent, this::reportsLimit);
        ground.routes.put(NODE, NodeRoute.direct(listen));
        ground.start(ground.server().listenToServers(second));
        far = ground.gateway(CallDeadlines.ofDefaults(), node -> NodeRoute.via(second));
        knows(5);
    }

    @AfterEach
    void stop() {
        ground.close();
    }

    private void reportsLimit(ScriptedPlugin started) {
        started.on(
                "NodeGetInfo",
                (request, out) -> ScriptedPlugin.ok(
                        out,
                        NodeGetInfoResponse.newBuilder()
                                .setNodeId("ext-1")
                                .setMaxVolumesPerNode(limit.get())
                                .build()));
    }

    private void knows(long max) {
        ground.until(
                "the state knows of room for " + max,
                StateScope.instancesOn(NODE),
                state -> state.instance(Ground.MONOLITH)
                        .flatMap(PluginInstance::nodeInfo)
                        .map(NodeInfo::maxVolumesPerNode)
                        .filter(reported -> reported == max)
                        .isPresent());
    }

    private CompletableFuture<ClaimGrant> claim(VolumeKey key, String allocation) {
        ground.running(allocation);
        return ground.lifecycle.claims().claim(AllocationId.of(allocation), List.of(Ground.writing(key)));
    }

    /** What the state says to a claim now. */
    private WaitReason waitReason(VolumeKey key, String allocation) {
        Outcome outcome = ground.store.apply(
                new ClaimCommand.TakeClaims(AllocationId.of(allocation), List.of(Ground.writing(key)), Instant.now()));
        Rejection reason = outcome.fold(
                accepted -> {
                    throw new AssertionError("unexpected admission: " + accepted);
                },
                Outcome.Rejected::reason);
        return ((AdmissionDecision.Wait) ((Rejection.NotAdmitted) reason).decision()).reason();
    }

    @Test
    void refusedPublishRefreshesVolumeLimitAndLaterClaimsWait() {
        AtomicBoolean full = new AtomicBoolean();
        plugin.on("ControllerPublishVolume", (request, out) -> {
            if (full.get()) {
                ScriptedPlugin.fail(out, FULL);
            } else {
                ScriptedPlugin.ok(out, ControllerPublishVolumeResponse.getDefaultInstance());
            }
        });
        VolumeKey first = ground.volume("v1");
        VolumeKey second = ground.volume("v2");
        VolumeKey third = ground.volume("v3");
        get(claim(first, "a1"));
        full.set(true);
        limit.set(1);
        CompletableFuture<ClaimGrant> refused = claim(second, "a2");
        knows(1);
        refused.cancel(false);

        CompletableFuture<ClaimGrant> waiting = claim(third, "a3");
        assertThat(waitReason(third, "a3")).isEqualTo(WaitReason.NODE_FULL);
        full.set(false);
        limit.set(8);
        get(ground.gateway.refreshNodeInfo(NODE, PLUGIN));
        knows(8);
        get(waiting);
    }

    /** The agent needs no server to find that out. */
    @Test
    void refusedMountRefreshesVolumeLimitAndIsRetried() throws Exception {
        AtomicBoolean refused = new AtomicBoolean();
        plugin.on("NodePublishVolume", (request, out) -> {
            if (refused.compareAndSet(false, true)) {
                limit.set(2);
                ScriptedPlugin.fail(out, FULL);
            } else {
                ScriptedPlugin.ok(out, NodePublishVolumeResponse.getDefaultInstance());
            }
        });
        CompletableFuture<?> mounted = agent.volumes()
                .mount(NodeMount.builder(
                                new NodeVolumeId(VolumeKey.of("default", "db"), PLUGIN, ExternalVolumeId.of("ext-db")),
                                AllocationId.of("web-1"),
                                Ground.WRITER)
                        .build());
        knows(2);
        get(mounted);
    }

    @Test
    void volumeLimitIsQueriedDirectlyOrThroughServer() {
        limit.set(6);
        get(ground.gateway.refreshNodeInfo(NODE, PLUGIN));
        knows(6);
        limit.set(7);
        get(far.refreshNodeInfo(NODE, PLUGIN));
        knows(7);
    }

    @Test
    void pluginIsAskedForItsNameDirectlyOrThroughServer() throws Exception {
        plugin.on(
                "GetPluginInfo",
                (request, out) -> ScriptedPlugin.ok(
                        out,
                        io.csi4j.proto.csi.v1.GetPluginInfoResponse.newBuilder()
                                .setName("csi.example.com")
                                .setVendorVersion("1.2")
                                .putManifest("url", "https://example.com")
                                .build()));
        GetPluginInfoResponse expected =
                new GetPluginInfoResponse("csi.example.com", "1.2", Map.of("url", "https://example.com"));
        long before = plugin.count("GetPluginInfo");
        assertThat(get(ground.gateway.pluginInfo(NODE, PLUGIN))).isEqualTo(expected);
        assertThat(get(far.pluginInfo(NODE, PLUGIN))).isEqualTo(expected);
        assertThat(plugin.count("GetPluginInfo"))
                .as("each question asks the plugin")
                .isEqualTo(before + 2);
        assertThat(failure(ground.gateway.pluginInfo(NODE, PluginId.of("stranger")), CsiCallException.class)
                        .code())
                .isEqualTo(StatusCode.UNAVAILABLE);
    }

    @Test
    void limitQueryFailsIfPluginFailsAndLaterLimitQuerySucceeds() {
        plugin.on("NodeGetInfo", (request, out) -> ScriptedPlugin.fail(out, Status.INTERNAL.withDescription("broken")));
        CsiCallException failure = failure(ground.gateway.refreshNodeInfo(NODE, PLUGIN), CsiCallException.class);
        assertThat(failure.code()).isEqualTo(StatusCode.INTERNAL);
        assertThat(failure.rpc()).isEqualTo(Rpc.NODE_GET_INFO);
        assertThat(failure).hasMessageContaining("broken");
        assertThat(ground.known().orElseThrow().healthy()).isTrue();

        limit.set(9);
        reportsLimit(plugin);
        get(ground.gateway.refreshNodeInfo(NODE, PLUGIN));
        knows(9);
    }

    @Test
    void concurrentLimitQueriesToHungPluginEndAtDeadline() throws Exception {
        long before = plugin.count("NodeGetInfo");
        plugin.on("NodeGetInfo", (request, out) -> {});
        CompletableFuture<?> first = ground.gateway.refreshNodeInfo(NODE, PLUGIN);
        CompletableFuture<?> second = far.refreshNodeInfo(NODE, PLUGIN);
        assertThat(failure(first, CsiCallException.class).code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
        assertThat(failure(second, CsiCallException.class).code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
        assertThat(plugin.count("NodeGetInfo") - before).isBetween(1L, 2L);

        limit.set(4);
        reportsLimit(plugin);
        get(ground.gateway.refreshNodeInfo(NODE, PLUGIN));
        knows(4);
    }

    @Test
    void limitQueryForUnknownPluginOrStoppedAgentFailsAsUnavailable() throws Exception {
        assertThat(failure(ground.gateway.refreshNodeInfo(NODE, PluginId.of("stranger")), CsiCallException.class)
                        .code())
                .isEqualTo(StatusCode.UNAVAILABLE);
        agent.close();
        get(agent.closed());
        assertThat(failure(ground.gateway.refreshNodeInfo(NODE, PLUGIN), CsiCallException.class)
                        .code())
                .isEqualTo(StatusCode.UNAVAILABLE);
    }
}
