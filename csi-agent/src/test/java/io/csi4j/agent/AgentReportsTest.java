package io.csi4j.agent;

import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.PLUGIN;
import static io.csi4j.agent.Ground.failure;
import static io.csi4j.agent.Ground.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.CallDeadlines;
import io.csi4j.client.Endpoint;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.NodeView;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.health.HealthCheck;
import io.csi4j.core.lifecycle.health.HealthProblem;
import io.csi4j.core.lifecycle.health.ServerHealth;
import io.csi4j.core.spi.NodeReport;
import io.csi4j.core.spi.NodeVolume;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodeUnmount;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.transport.RemoteFailureException;
import io.csi4j.proto.csi.v1.NodeGetCapabilitiesResponse;
import io.csi4j.proto.csi.v1.NodeServiceCapability;
import io.csi4j.proto.csi.v1.NodeUnpublishVolumeResponse;
import io.grpc.Status;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The report of an agent about its volumes, directly and through another server, and an operator's order. */
class AgentReportsTest {
    private static final VolumeKey KEY = VolumeKey.of("default", "db");
    private static final AllocationId WEB = AllocationId.of("web-1");
    private static final NodeVolumeId ID = new NodeVolumeId(KEY, PLUGIN, ExternalVolumeId.of("ext-db"));

    private Ground ground;
    private NodeAgent agent;
    private ScriptedPlugin plugin;
    private RemoteNodeGateway far;

    @BeforeEach
    void start() throws Exception {
        ground = new Ground();
        Endpoint listen = ground.unix("agent-socket");
        Endpoint second = ground.unix("second");
        agent = ground.start(ground.agent(listen, ground.unix("nowhere")));
        plugin = ground.plugin(
                agent,
                made -> made.on(
                        "NodeGetCapabilities",
                        (request, out) -> ScriptedPlugin.ok(
                                out,
                                NodeGetCapabilitiesResponse.newBuilder()
                                        .addCapabilities(NodeServiceCapability.newBuilder()
                                                .setRpc(NodeServiceCapability.RPC
                                                        .newBuilder()
                                                        .setType(NodeServiceCapability.RPC.Type.STAGE_UNSTAGE_VOLUME)))
                                        .build())));
        ground.routes.put(NODE, NodeRoute.direct(listen));
        ground.start(ground.server().listenToServers(second));
        far = ground.gateway(CallDeadlines.ofDefaults(), node -> NodeRoute.via(second));
        get(agent.volumes().mount(NodeMount.builder(ID, WEB, Ground.WRITER).build()));
        get(ground.lifecycle.cluster().nodeReady(NODE));
    }

    @AfterEach
    void stop() {
        ground.close();
    }

    /** Asks the node until its report fits. */
    private NodeView reported(Predicate<NodeVolume> fits) {
        Instant end = Instant.now().plus(Ground.PATIENCE);
        NodeView view = get(ground.lifecycle.operator().node(NODE));
        while (view.report().stream()
                .flatMap(report -> report.volumes().stream())
                .noneMatch(fits)) {
            assertThat(Instant.now()).as("%s", view).isBefore(end);
            view = get(ground.lifecycle.operator().node(NODE));
        }
        return view;
    }

    @Test
    void mountedVolumeIsReportedWithItsUser() {
        NodeReport report = get(ground.gateway.report(NODE));
        assertThat(report.volumes()).singleElement().satisfies(volume -> {
            assertThat(volume.volume()).isEqualTo(KEY);
            assertThat(volume.pluginId()).contains(PLUGIN);
            assertThat(volume.externalVolumeId()).contains(ID.externalVolumeId());
            assertThat(volume.staged()).isTrue();
            assertThat(volume.recordLost()).isFalse();
            assertThat(volume.isUnfinished()).isFalse();
            assertThat(volume.uses())
                    .containsExactly(new NodeVolume.Use(
                            WEB, NodeVolume.State.MOUNTED, java.util.Optional.of(Ground.WRITER), false, ""));
        });
        assertThat(get(far.report(NODE))).isEqualTo(report);
    }

    @Test
    void hangingUnmountOfTheNodeIsProblemOnTheServer() throws Exception {
        CompletableFuture<Runnable> held = new CompletableFuture<>();
        plugin.on(
                "NodeUnpublishVolume",
                (request, out) ->
                        held.complete(() -> ScriptedPlugin.ok(out, NodeUnpublishVolumeResponse.getDefaultInstance())));
        HealthCheck check = HealthCheck.builder(ground.lifecycle, ground.environment)
                .nodeLimit(Duration.ofMillis(1))
                .reuse(Duration.ofNanos(1))
                .build();
        // The node unmounts on its own; no server has asked for it.
        CompletableFuture<Void> unmounted = agent.volumes().unmount(new NodeUnmount(ID, WEB));
        NodeView view = reported(volume -> volume.isUnmounting()
                && volume.call().isPresent()
                && volume.unfinishedFor().compareTo(Duration.ofMillis(1)) > 0);

        assertThat(view.report().orElseThrow().unfinished())
                .singleElement()
                .satisfies(
                        volume -> assertThat(volume.call().orElseThrow().rpc()).isEqualTo(Rpc.NODE_UNPUBLISH_VOLUME));
        ServerHealth health = get(check.run());
        assertThat(health.problems())
                .filteredOn(problem -> problem.kind() == HealthProblem.Kind.NODE_WORK_STUCK)
                .singleElement()
                .satisfies(problem -> assertThat(problem.message())
                        .contains("volume default/db on node node-1 (unmount, NodeUnpublishVolume has no answer for"));
        assertThat(health.able()).isTrue();

        get(held).run();
        get(unmounted);
        assertThat(get(ground.lifecycle.operator().node(NODE))
                        .report()
                        .orElseThrow()
                        .volumes())
                .isEmpty();
        assertThat(get(check.run()).problems())
                .noneMatch(problem -> problem.kind() == HealthProblem.Kind.NODE_WORK_STUCK);
    }

    @Test
    void operatorEndsUnmountThatPluginRefusesThroughServer() throws Exception {
        var operator = ground.lifecycle.operator();
        assertThat(failure(operator.forgetUnmount(KEY, NODE, WEB, "it hangs"), RemoteFailureException.class))
                .hasMessageContaining("allocation web-1 uses it, and is not being unmounted");
        plugin.on(
                "NodeUnstageVolume",
                (request, out) ->
                        ScriptedPlugin.fail(out, Status.INTERNAL.withDescription("still published at [/old/path]")));
        CompletableFuture<Void> unmounted = agent.volumes().unmount(new NodeUnmount(ID, WEB));
        reported(volume -> volume.lastError().contains("still published at [/old/path]")
                && volume.waitingFor().contains("order that the unmount is forgotten"));

        failure(operator.forgetUnmount(KEY, NODE, WEB, " "), CsiRequestException.class);
        assertThat(failure(operator.forgetUnmount(KEY, NodeId.of("nowhere"), WEB, "it hangs"), RejectedException.class))
                .hasMessageContaining("nowhere");
        get(operator.forgetUnmount(KEY, NODE, WEB, "the driver keeps a path of a machine that was fenced"));
        get(unmounted);
        assertThat(get(operator.node(NODE)).report().orElseThrow().volumes()).isEmpty();
    }

    @Test
    void nodeThatDoesNotAnswerIsShownWithItsLastContact() throws Exception {
        Instant before =
                get(ground.lifecycle.operator().node(NODE)).lastContact().orElseThrow();
        ground.routes.remove(NODE);
        NodeView view = get(ground.lifecycle.operator().node(NODE));
        assertThat(view.lastContact()).contains(before);
        assertThat(view.silentFor()).isPresent();
        assertThat(view.contactProblem())
                .contains("the report of its volumes on node node-1 was not sent: no way to its agent is known");
        assertThat(view.report()).isPresent();
        assertThat(failure(ground.gateway.report(NODE), CsiException.class)).hasMessageContaining("node-1");
    }
}
