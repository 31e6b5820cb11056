package io.csi4j.agent;

import static io.csi4j.agent.Ground.MONOLITH;
import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.PLUGIN;
import static io.csi4j.agent.Ground.failure;
import static io.csi4j.agent.Ground.get;
import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.BoolValue;
import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.CallDeadlines;
import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.RegisteredPlugin;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.SnapshotId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.rpc.DeleteSnapshotRequest;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.proto.csi.v1.ProbeResponse;
import io.grpc.Status;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What servers have done on nodes: over a real socket, with a plugin that does what the test wants. */
class AgentCallsTest {
    private Ground ground;
    private Endpoint listen;
    private NodeAgent agent;
    private ScriptedPlugin plugin;

    @BeforeEach
    void start() throws Exception {
        ground = new Ground();
        listen = ground.unix("agent-socket");
        // No server: the agent works without one.
        agent = ground.start(ground.agent(listen, ground.unix("nowhere")));
        plugin = ground.plugin(agent);
        ground.routes.put(NODE, NodeRoute.direct(listen));
    }

    @AfterEach
    void stop() throws Exception {
        ground.close();
    }

    private static DeleteVolumeRequest delete(String id) {
        return DeleteVolumeRequest.builder(ExternalVolumeId.of(id)).build();
    }

    private CompletableFuture<?> deleting(String id) {
        return ground.gateway.controller(MONOLITH).deleteVolume(delete(id));
    }

    @Test
    void controllerCallReachesPlugin() throws Exception {
        get(deleting("vol-1"));
        assertThat(((io.csi4j.proto.csi.v1.DeleteVolumeRequest)
                                plugin.next("DeleteVolume").request())
                        .getVolumeId())
                .isEqualTo("vol-1");
    }

    @Test
    void pluginErrorArrivesWithStatusCodeAndOutcome() {
        plugin.on(
                "DeleteVolume",
                (request, out) ->
                        ScriptedPlugin.fail(out, Status.FAILED_PRECONDITION.withDescription("published on node-7")));

        CsiCallException failure = failure(deleting("vol-1"), CsiCallException.class);

        assertThat(failure.code()).isEqualTo(StatusCode.FAILED_PRECONDITION);
        assertThat(failure.outcome()).isEqualTo(CallOutcome.RETRY_AFTER_CAUSE);
        assertThat(failure.volume()).contains("vol-1");
        assertThat(failure.plugin()).isEqualTo("ebs");
        assertThat(failure)
                .hasMessageContaining("published on node-7")
                .hasMessageContaining("reported by the agent of node node-1");
    }

    @Test
    void unsupportedRpcIsRefusedWithReason() {
        CompletableFuture<?> call = ground.gateway
                .controller(MONOLITH)
                .deleteSnapshot(
                        DeleteSnapshotRequest.builder(SnapshotId.of("snap-1")).build());
        CsiRequestException refused = failure(call, CsiRequestException.class);
        assertThat(refused.problems()).hasSize(1);
        assertThat(refused).hasMessageContaining("CREATE_DELETE_SNAPSHOT");
        assertThat(plugin.count("DeleteSnapshot")).isZero();
    }

    @Test
    void callToMissingAgentFailsAsUnavailableAndUnsent() {
        ground.routes.put(NODE, NodeRoute.direct(ground.unix("nobody")));
        CsiCallException failure = failure(deleting("vol-1"), CsiCallException.class);
        assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(failure).hasMessageContaining("was not sent").hasMessageContaining("node-1");

        ground.routes.clear();
        CsiCallException unknown = failure(deleting("vol-1"), CsiCallException.class);
        assertThat(unknown.code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(unknown).hasMessageContaining("directory of nodes");
        assertThat(plugin.count("DeleteVolume")).isZero();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void callIsReportedAsUnsentIfNodeDirectoryThrows(boolean error) {
        RemoteNodeGateway gateway = ground.gateway(CallDeadlines.ofDefaults(), node -> {
            if (error) {
                throw new NoClassDefFoundError("the host's own trouble");
            }
            throw new IllegalStateException("the host's own trouble");
        });
        try (LogCapture log = LogCapture.all()) {
            CompletableFuture<?> call = gateway.refreshNodeInfo(NODE, Ground.PLUGIN);
            CsiCallException failure = failure(call, CsiCallException.class);
            assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(failure).hasMessageContaining("was not sent").hasMessageContaining("directory of nodes");
            String type = error ? "java.lang.NoClassDefFoundError" : "java.lang.IllegalStateException";
            assertThat(log.lines())
                    .anyMatch(line -> line.contains("The host's directory of nodes failed for node node-1 with " + type)
                            && line.contains("Mend the NodeDirectory"))
                    .noneMatch(line -> line.contains("own trouble"));
        }
    }

    @Test
    void lostResponseLeavesOutcomeUnknown() throws Exception {
        plugin.on("DeleteVolume", (request, out) -> {});
        CompletableFuture<?> call = deleting("vol-1");
        plugin.next("DeleteVolume");

        agent.close();

        CsiCallException failure = failure(call, CsiCallException.class);
        assertThat(failure.code()).isNotEqualTo(StatusCode.UNAVAILABLE);
        assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
    }

    /** The agent dies before the call, comes back at the same path, and the call is made again. */
    @Test
    void restartedAgentIsReachedAtOnce() throws Exception {
        get(deleting("vol-1"));
        agent.close();
        get(agent.closed());
        // Left alone, gRPC would refuse calls for longer and longer after each attempt to connect.
        for (int i = 0; i < 5; i++) {
            assertThat(failure(deleting("vol-1"), CsiCallException.class).code())
                    .isEqualTo(StatusCode.UNAVAILABLE);
        }
        assertThat(listen.path().orElseThrow()).doesNotExist();

        agent = ground.start(ground.agent(listen, ground.unix("nowhere")));
        get(agent.plugins()
                .waitForHealthy(io.csi4j.client.registry.instance.PluginRole.CONTROLLER, PLUGIN, Ground.PATIENCE));

        get(deleting("vol-1"));
        assertThat(plugin.count("DeleteVolume")).isEqualTo(2);
    }

    @Test
    void hangingPluginCallEndsAtDeadline() throws Exception {
        plugin.on("DeleteVolume", (request, out) -> {});
        RemoteNodeGateway hasty = ground.gateway(CallDeadlines.ofDefaults().withAll(Duration.ofMillis(1_200)));

        CsiCallException failure =
                failure(hasty.controller(MONOLITH).deleteVolume(delete("vol-1")), CsiCallException.class);

        assertThat(failure.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
        assertThat(failure.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);
        // It is the agent's client that gave up, and it says so.
        assertThat(failure).hasMessageContaining("reported by the agent");
    }

    /** One that listens and never answers. */
    @Test
    void callToHungAgentEndsAtDeadline() throws Exception {
        RemoteNodeGateway hasty = ground.gateway(CallDeadlines.ofDefaults().withAll(Duration.ofMillis(200)));
        try (ServerSocket silent = new ServerSocket(0, 5, java.net.InetAddress.getLoopbackAddress())) {
            ground.routes.put(NODE, NodeRoute.direct(Endpoint.loopback("tcp://127.0.0.1:" + silent.getLocalPort())));
            CsiCallException failure =
                    failure(hasty.controller(MONOLITH).deleteVolume(delete("vol-1")), CsiCallException.class);
            assertThat(failure.code()).isEqualTo(StatusCode.UNAVAILABLE);
            assertThat(failure).hasMessageContaining("no connection came about within");
        }
    }

    @Test
    void cancelledCallIsCancelledAtPlugin() throws Exception {
        CompletableFuture<Void> cancelled = new CompletableFuture<>();
        plugin.on(
                "DeleteVolume",
                (request, out) -> ((io.grpc.stub.ServerCallStreamObserver<?>) out)
                        .setOnCancelHandler(() -> cancelled.complete(null)));
        CompletableFuture<?> call = deleting("vol-1");
        plugin.next("DeleteVolume");
        call.cancel(false);
        get(cancelled);
    }

    @Test
    void callToMissingOrStoppedPluginFailsAsUnavailable() throws Exception {
        InstanceKey other = new InstanceKey(NODE, PLUGIN, PluginType.CONTROLLER, Optional.empty());
        CsiCallException absent =
                failure(ground.gateway.controller(other).deleteVolume(delete("vol-1")), CsiCallException.class);
        assertThat(absent.code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(absent).hasMessageContaining("there is no ebs (CONTROLLER)");

        ground.routes.put(NodeId.of("node-2"), NodeRoute.direct(listen));
        InstanceKey elsewhere = new InstanceKey(NodeId.of("node-2"), PLUGIN, PluginType.MONOLITH, Optional.empty());
        CsiCallException wrong =
                failure(ground.gateway.controller(elsewhere).deleteVolume(delete("vol-1")), CsiCallException.class);
        assertThat(wrong.code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(wrong).hasMessageContaining("this is the agent of node node-1");

        plugin.close();
        CsiCallException gone = failure(deleting("vol-1"), CsiCallException.class);
        assertThat(gone.code()).isEqualTo(StatusCode.UNAVAILABLE);
    }

    @Test
    void callToPluginThatIsNotReadyIsNotSent() {
        ProbeResponse starting =
                ProbeResponse.newBuilder().setReady(BoolValue.of(false)).build();
        plugin.on("Probe", (request, out) -> ScriptedPlugin.ok(out, starting));
        plugin.on("DeleteVolume", (request, out) -> ScriptedPlugin.fail(out, Status.UNAVAILABLE));
        CompletableFuture<RegisteredPlugin> unready = new CompletableFuture<>();
        Cancellable watch = agent.plugins()
                .subscribe((snapshot, changes) -> snapshot.instance(MONOLITH)
                        .filter(instance -> !instance.snapshot().serves(PluginRole.CONTROLLER))
                        .ifPresent(unready::complete));
        // The agent probes a plugin whose call has failed as UNAVAILABLE.
        failure(deleting("vol-1"), CsiCallException.class);
        get(unready);
        watch.cancel();
        long sent = plugin.count("DeleteVolume");

        CsiCallException refused = failure(deleting("vol-2"), CsiCallException.class);
        assertThat(refused.code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(refused).hasMessageContaining("is not ready to serve as a controller");
        assertThat(plugin.count("DeleteVolume")).isEqualTo(sent);
    }

    @Test
    void volumeUnknownToAgentIsDetachedWithoutMountCheck() {
        VolumeKey key = VolumeKey.of("default", "db");
        AllocationId allocation = AllocationId.of("web-1");
        NodeDetach detach = new NodeDetach(
                key,
                PLUGIN,
                ExternalVolumeId.of("vol-1"),
                allocation,
                Optional.empty(),
                ClaimMode.WRITE,
                Ground.WRITER,
                MountOptions.none());
        get(ground.gateway.detach(NODE, detach));
        get(ground.gateway.detach(NODE, detach));

        NodeVolumeQuery query = new NodeVolumeQuery(key, PLUGIN, ExternalVolumeId.of("vol-1"), allocation);
        assertThat(failure(ground.gateway.volumeStats(NODE, query), CsiCallException.class)
                        .code())
                .isEqualTo(StatusCode.NOT_FOUND);
        assertThat(failure(ground.gateway.volumeHealth(NODE, query), CsiCallException.class)
                        .code())
                .isEqualTo(StatusCode.NOT_FOUND);
    }

    @Test
    void socketIsAccessibleToItsUserOnly() throws Exception {
        var path = listen.path().orElseThrow();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                .isEqualTo("rw-------");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path.getParent())))
                .isEqualTo("rwx------");
    }

    @Test
    void errorForUnusableListenAddressContainsProblemAndRemedy() throws Exception {
        assertThat(problem(listen)).contains("another process serves the socket");

        Files.createDirectories(ground.path("file"));
        Files.setPosixFilePermissions(ground.path("file"), PosixFilePermissions.fromString("rwx------"));
        Files.writeString(ground.path("file").resolve("s"), "precious");
        assertThat(problem(ground.unix("file"))).contains("no socket", "move it away");
        assertThat(ground.path("file").resolve("s")).hasContent("precious");

        Files.createDirectories(ground.path("open"));
        Files.setPosixFilePermissions(ground.path("open"), PosixFilePermissions.fromString("rwxr-xr-x"));
        assertThat(problem(ground.unix("open"))).contains("rwxr-xr-x", "chmod 700");
    }

    private String problem(Endpoint taken) {
        try {
            ground.start(io.csi4j.agent.NodeAgent.builder(NODE, ground.path("other"))
                    .servers(java.util.List.of(ground.unix("nowhere")))
                    .listen(taken)
                    .environment(ground.environment));
            throw new AssertionError("the agent started");
        } catch (java.io.IOException refused) {
            return refused.getMessage();
        }
    }

    /** A process that was killed leaves its socket. */
    @Test
    void socketLeftByEarlierProcessIsReplaced() throws Exception {
        Files.createDirectories(ground.path("stale"));
        Files.setPosixFilePermissions(ground.path("stale"), PosixFilePermissions.fromString("rwx------"));
        var stale = ground.path("stale").resolve("s");
        try (var socket = java.nio.channels.ServerSocketChannel.open(java.net.StandardProtocolFamily.UNIX)) {
            socket.bind(java.net.UnixDomainSocketAddress.of(stale));
        }
        assertThat(stale).exists();
        agent.close();
        get(agent.closed());

        agent = ground.start(ground.agent(ground.unix("stale"), ground.unix("nowhere")));
        ground.routes.put(NODE, NodeRoute.direct(ground.unix("stale")));
        get(agent.plugins()
                .waitForHealthy(io.csi4j.client.registry.instance.PluginRole.CONTROLLER, PLUGIN, Ground.PATIENCE));
        get(deleting("vol-1"));
    }
}
