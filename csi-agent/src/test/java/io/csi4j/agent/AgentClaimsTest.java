package io.csi4j.agent;

import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.PLUGIN;
import static io.csi4j.agent.Ground.failure;
import static io.csi4j.agent.Ground.get;
import static io.csi4j.agent.Ground.writing;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.CallDeadlines;
import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.PluginTask;
import io.csi4j.client.registry.TaskMount;
import io.csi4j.client.registry.TaskSetup;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.Access;
import io.csi4j.core.spi.AccessDeniedException;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.Permission;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.node.MountedVolume;
import io.csi4j.node.WorkloadStatus;
import io.csi4j.proto.agent.v1.AgentProto.Acknowledgement;
import io.csi4j.proto.agent.v1.AgentProto.AgentCall;
import io.csi4j.proto.agent.v1.AgentProto.AttachmentMode;
import io.csi4j.proto.agent.v1.AgentProto.CancelClaimCall;
import io.csi4j.proto.agent.v1.AgentProto.Capability;
import io.csi4j.proto.agent.v1.AgentProto.ClaimAnswer;
import io.csi4j.proto.agent.v1.AgentProto.ClaimCall;
import io.csi4j.proto.agent.v1.AgentProto.ClaimMode;
import io.csi4j.proto.agent.v1.AgentProto.ClaimedVolume;
import io.csi4j.proto.agent.v1.AgentProto.Failure;
import io.csi4j.proto.agent.v1.AgentProto.FailureKind;
import io.csi4j.proto.agent.v1.AgentProto.FingerprintRequest;
import io.csi4j.proto.agent.v1.AgentProto.ReleasedCall;
import io.csi4j.proto.agent.v1.ServersGrpc;
import io.csi4j.proto.values.v1.ValuesProto.MountOptions;
import io.csi4j.proto.values.v1.ValuesProto.VolumeName;
import io.grpc.stub.StreamObserver;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * Requests of agents to servers, over real sockets. Takes more than 20 seconds: a restarted server gets the
 * fingerprints with the next request of the agent, and a waiting claim asks again after 20 seconds.
 */
class AgentClaimsTest {
    private Ground ground;
    private Endpoint servers;
    private AgentServer server;
    private NodeAgent agent;
    private ScriptedPlugin plugin;

    @BeforeEach
    void start() throws Exception {
        ground = new Ground();
        servers = ground.unix("server");
        Endpoint listen = ground.unix("agent-socket");
        ground.routes.put(NODE, NodeRoute.direct(listen));
        server = ground.start(ground.server().listenToAgent(servers, NODE));
        agent = ground.start(ground.agent(listen, servers));
        plugin = ground.plugin(agent);
        ground.knows(true);
    }

    @AfterEach
    void stop() throws Exception {
        ground.close();
    }

    private CompletableFuture<List<MountedVolume>> prepare(String allocation, VolumeKey key) {
        return agent.prepare(AllocationId.of(allocation), List.of(writing(key)));
    }

    private void freed(VolumeKey key) {
        ground.until(
                key + " is free",
                StateScope.volume(key),
                state -> !state.volume(key).orElseThrow().inUse());
    }

    private boolean held(VolumeKey key, String allocation) {
        return ground.store
                .snapshot()
                .volume(key)
                .orElseThrow()
                .claims()
                .get(AllocationId.of(allocation))
                .isPresent();
    }

    @Test
    void workloadMountsAndReleasesVolume() throws Exception {
        VolumeKey key = ground.volume("db");
        ground.running("web-1");

        List<MountedVolume> mounted = get(prepare("web-1", key));

        assertThat(mounted).hasSize(1);
        assertThat(mounted.get(0).targetPath()).startsWithRaw(ground.path("agent"));
        var publish = (io.csi4j.proto.csi.v1.NodePublishVolumeRequest)
                plugin.next("NodePublishVolume").request();
        assertThat(publish.getVolumeId()).isEqualTo("ext-db");
        assertThat(publish.getTargetPath())
                .isEqualTo(mounted.get(0).targetPath().toString());
        assertThat(plugin.count("ControllerPublishVolume")).isEqualTo(1);

        assertThat(get(agent.teardown(AllocationId.of("web-1"), Duration.ofSeconds(20)))
                        .left())
                .isEmpty();
        freed(key);
        assertThat(plugin.count("NodeUnpublishVolume")).isEqualTo(1);
        assertThat(plugin.count("ControllerUnpublishVolume")).isEqualTo(1);
    }

    /** The servers' own way: the allocation ends, and they have the volume taken from it. */
    @Test
    void serverUnmountsVolumeOfEndedAllocation() {
        VolumeKey key = ground.volume("db");
        ground.running("web-1");
        get(prepare("web-1", key));
        ground.place("web-1", NODE, AllocationStatus.ENDED);
        freed(key);
        assertThat(plugin.count("NodeUnpublishVolume")).isEqualTo(1);
    }

    @Test
    void waitingClaimIsGrantedAfterHolderIsTornDown() {
        VolumeKey key = ground.volume("db");
        ground.running("web-1");
        ground.running("web-2");
        get(prepare("web-1", key));
        CompletableFuture<List<MountedVolume>> second = prepare("web-2", key);
        waits(key, "web-2");
        assertThat(agent.status(AllocationId.of("web-2")).orElseThrow().phase())
                .isEqualTo(WorkloadStatus.Phase.CLAIMING);

        get(agent.teardown(AllocationId.of("web-1"), Duration.ofSeconds(20)));

        get(second);
        assertThat(held(key, "web-2")).isTrue();
        assertThat(held(key, "web-1")).isFalse();
    }

    /** The queue is the engine's own; it has no watch. */
    private void waits(VolumeKey key, String allocation) {
        Instant end = Instant.now().plus(Ground.PATIENCE);
        while (get(ground.lifecycle.claims().status(key)).orElseThrow().waiting().stream()
                .noneMatch(waiting -> waiting.allocationId().value().equals(allocation))) {
            assertThat(Instant.now()).isBefore(end);
            Thread.onSpinWait();
        }
    }

    private void waitsNoMore(VolumeKey key) {
        Instant end = Instant.now().plus(Ground.PATIENCE);
        while (!get(ground.lifecycle.claims().status(key))
                .orElseThrow()
                .waiting()
                .isEmpty()) {
            assertThat(Instant.now()).isBefore(end);
            Thread.onSpinWait();
        }
    }

    @Test
    void cancelledClaimLeavesQueue() {
        cancelledLeavesTheQueue();
    }

    private void cancelledLeavesTheQueue() {
        VolumeKey key = ground.volume("db");
        ground.running("web-1");
        ground.running("web-2");
        get(prepare("web-1", key));
        CompletableFuture<List<MountedVolume>> second = prepare("web-2", key);
        waits(key, "web-2");
        second.cancel(false);
        waitsNoMore(key);
        assertThat(held(key, "web-2")).isFalse();
    }

    /** A server that does not lead; where agents find it. */
    private Endpoint follower() throws Exception {
        VolumeLifecycle follower = VolumeLifecycle.builder()
                .controllers(ControllerTrust.everyNode())
                .log(ground.log)
                .gateway(ground.gateway)
                .environment(ground.environment)
                .build();
        Endpoint address = ground.unix("follower");
        ground.start(AgentServer.builder(follower, ground.log)
                .gateway(ground.gateway)
                .environment(ground.environment)
                .listenToAgent(address, NODE));
        return address;
    }

    /** The server that knows of the claim is told, and not the next one. */
    @Test
    void cancelledClaimLeavesQueueOfLeadingServer() throws Exception {
        Endpoint other = follower();
        agent.close();
        get(agent.closed());
        agent = ground.start(ground.agent(ground.unix("agent-socket"), servers, other));
        get(agent.plugins()
                .waitForHealthy(io.csi4j.client.registry.instance.PluginRole.CONTROLLER, PLUGIN, Ground.PATIENCE));
        ground.knows(true);

        cancelledLeavesTheQueue();
    }

    /** It is granted, and the answer is lost: the same attempt gets it again, and who gives up gives it back. */
    @Test
    void grantWithLostResponseIsReleased() throws Exception {
        VolumeKey key = ground.volume("db");
        ground.running("web-1");
        try (RawPeer raw = RawPeer.calling(servers.path().orElseThrow())) {
            ClaimCall call = claim("web-1", key).build();
            assertThat(raw.call(ServersGrpc.getClaimMethod(), call).hasGrant()).isTrue();
            ClaimAnswer again = raw.call(ServersGrpc.getClaimMethod(), call);
            assertThat(again.getGrant().getVolumes(0).getUse().getExternalVolumeId())
                    .isEqualTo("ext-db");
            assertThat(held(key, "web-1")).isTrue();

            Acknowledgement stale = raw.call(
                    ServersGrpc.getCancelClaimMethod(),
                    cancel("web-1").setAttempt("older").build());
            assertThat(stale.hasFailure()).isFalse();
            assertThat(held(key, "web-1")).isTrue();

            Acknowledgement done =
                    raw.call(ServersGrpc.getCancelClaimMethod(), cancel("web-1").build());
            assertThat(done.hasFailure()).as("%s", done).isFalse();
            freed(key);

            // A question on its way when it was taken back, and overtaken, begins nothing.
            assertThat(raw.call(ServersGrpc.getClaimMethod(), call).hasFailure())
                    .isTrue();
            assertThat(held(key, "web-1")).isFalse();
            ClaimCall next = claim("web-1", key).setAttempt("a2").build();
            assertThat(raw.call(ServersGrpc.getClaimMethod(), next).hasGrant()).isTrue();
        }
    }

    private static ClaimCall.Builder claim(String allocation, VolumeKey key) {
        return ClaimCall.newBuilder()
                .setVersion(RawPeer.VERSION)
                .setNodeId(NODE.value())
                .setAllocationId(allocation)
                .setAttempt("a1")
                .setWaitMillis(20_000)
                .addVolumes(ClaimedVolume.newBuilder()
                        .setVolume(VolumeName.newBuilder()
                                .setNamespace(key.namespace().value())
                                .setVolumeId(key.volumeId().value()))
                        .setMode(ClaimMode.CLAIM_MODE_WRITE)
                        .setCapability(Capability.newBuilder()
                                .setAccessMode(Ground.WRITER.accessMode().number())
                                .setAttachmentMode(AttachmentMode.ATTACHMENT_MODE_MOUNT)));
    }

    private static CancelClaimCall.Builder cancel(String allocation) {
        return CancelClaimCall.newBuilder()
                .setVersion(RawPeer.VERSION)
                .setNodeId(NODE.value())
                .setAllocationId(allocation)
                .setAttempt("a1");
    }

    /** An agent of an earlier version sends a request for each mount, and makes one mount from the grant. */
    @Test
    void earlierAgentGetsClaimOnlyForMountsThatDifferInMode() throws Exception {
        VolumeKey key = ground.volume("db");
        ground.running("web-1");
        ground.running("web-2");
        try (RawPeer raw = RawPeer.calling(servers.path().orElseThrow())) {
            ClaimedVolume writing = claim("web-1", key).getVolumes(0);
            ClaimCall flags = claim("web-1", key)
                    .addVolumes(writing.toBuilder()
                            .setMountOptions(MountOptions.newBuilder().addMountFlags("nosuid")))
                    .build();
            ClaimAnswer refused = raw.call(ServersGrpc.getClaimMethod(), flags);
            assertThat(refused.getFailure().getMessage()).contains("update the agent");
            assertThat(held(key, "web-1")).isFalse();

            ClaimCall modes = claim("web-2", key)
                    .addVolumes(writing.toBuilder().setMode(ClaimMode.CLAIM_MODE_READ))
                    .build();
            ClaimAnswer granted = raw.call(ServersGrpc.getClaimMethod(), modes);
            assertThat(granted.getGrant().getVolumesCount()).as("%s", granted).isEqualTo(1);
        }
    }

    @Test
    void waitingAgentGetsInterimResponseWithWaitReason() throws Exception {
        VolumeKey key = ground.volume("db");
        ground.running("web-1");
        ground.running("web-2");
        get(prepare("web-1", key));
        try (RawPeer raw = RawPeer.calling(servers.path().orElseThrow())) {
            ClaimAnswer answer = raw.call(
                    ServersGrpc.getClaimMethod(),
                    claim("web-2", key).setWaitMillis(300).build());
            assertThat(answer.hasWaiting()).as("%s", answer).isTrue();
            assertThat(answer.getWaiting().getReason()).contains("default/db").contains("web-1");
        }
    }

    /** A grant holds secrets. */
    @Test
    void agentClaimForAllocationOnOtherNodeIsRefused() throws Exception {
        VolumeKey key = ground.volume("db");
        NodeId other = NodeId.of("node-2");
        ground.apply(new NodeCommand.UpsertNode(other, Instant.now()));
        ground.place("web-9", other, AllocationStatus.RUNNING);
        try (RawPeer raw = RawPeer.calling(servers.path().orElseThrow())) {
            for (String node : List.of("node-2", "", "../node-1", "node-1 ")) {
                ClaimAnswer claim = raw.call(
                        ServersGrpc.getClaimMethod(),
                        claim("web-9", key).setNodeId(node).build());
                assertThat(claim.getFailure().getNotSent()).as("%s", claim).isTrue();
            }
            ClaimAnswer foreign =
                    raw.call(ServersGrpc.getClaimMethod(), claim("web-9", key).build());
            assertThat(foreign.getFailure().getKind()).isEqualTo(FailureKind.FAILURE_KIND_DENIED);
            assertThat(foreign.getFailure().getMessage()).contains("web-9", "node-1");
            assertThat(raw.call(
                                    ServersGrpc.getCancelClaimMethod(),
                                    cancel("web-9").build())
                            .getFailure()
                            .getKind())
                    .isEqualTo(FailureKind.FAILURE_KIND_DENIED);
            assertThat(raw.call(
                                    ServersGrpc.getFingerprintMethod(),
                                    FingerprintRequest.newBuilder()
                                            .setVersion(RawPeer.VERSION)
                                            .setNodeId("node-2")
                                            .build())
                            .getFailure()
                            .getMessage())
                    .contains("nodeId", "node-2", "rules for peers");
            assertThat(raw.call(
                                    ServersGrpc.getReleasedMethod(),
                                    ReleasedCall.newBuilder()
                                            .setVersion(RawPeer.VERSION)
                                            .setNodeId("node-2")
                                            .setAllocationId("web-9")
                                            .build())
                            .getFailure()
                            .getKind())
                    .isEqualTo(FailureKind.FAILURE_KIND_DENIED);
            // Nor does it reach other agents through a server.
            assertThat(raw.call(
                                    ServersGrpc.getForwardMethod(),
                                    AgentCall.newBuilder()
                                            .setVersion(RawPeer.VERSION)
                                            .setNodeId(NODE.value())
                                            .build())
                            .getFailure()
                            .getKind())
                    .isEqualTo(FailureKind.FAILURE_KIND_DENIED);
        }
        assertThat(ground.store.snapshot().volume(key).orElseThrow().inUse()).isFalse();
    }

    @Test
    void claimOnUnknownVolumeFailsWithEngineRejection() {
        ground.running("web-1");
        VolumeKey nowhere = VolumeKey.of("default", "nowhere");

        RejectedException failure = failure(prepare("web-1", nowhere), RejectedException.class);

        assertThat(failure.reason()).isEqualTo(new Rejection.VolumeNotFound(nowhere));
    }

    @Test
    void claimByUnknownOrEndedAllocationFailsWithEngineRejection() {
        VolumeKey key = ground.volume("db");
        assertThat(failure(prepare("web-1", key), RejectedException.class).reason())
                .isEqualTo(new Rejection.AllocationNotFound(AllocationId.of("web-1")));
        ground.place("web-2", NODE, AllocationStatus.ENDED);
        assertThat(failure(prepare("web-2", key), RejectedException.class).reason())
                .isEqualTo(new Rejection.AllocationEnded(AllocationId.of("web-2")));
    }

    @Test
    void inadmissibleClaimFailsAtAgentWithSameErrorAsAtEngine() {
        VolumeKey key = ground.volume("db");
        ground.running("web-1");
        AllocationId allocation = AllocationId.of("web-1");
        List<ClaimRequest> unfit = List.of(ClaimRequest.of(
                key,
                io.csi4j.core.volume.ClaimMode.READ,
                RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_READER_ONLY)));

        RejectedException far = failure(agent.prepare(allocation, unfit), RejectedException.class);
        RejectedException near = failure(ground.lifecycle.claims().claim(allocation, unfit), RejectedException.class);

        assertThat(far.reason()).isEqualTo(near.reason()).isInstanceOf(Rejection.NotAdmitted.class);
        assertThat(far).hasMessage(near.getMessage());
    }

    @Test
    void deniedClaimFailsWithErrorThatContainsMissingPermission() throws Exception {
        VolumeKey key = ground.volume("db");
        ground.running("web-1");
        VolumeLifecycle guarded = VolumeLifecycle.builder()
                .controllers(ControllerTrust.everyNode())
                .log(ground.log)
                .gateway(ground.gateway)
                .environment(ground.environment)
                .access((caller, access) -> access.permission() != Permission.VOLUME_MOUNT)
                .build();
        Endpoint address = ground.unix("guarded");
        ground.start(AgentServer.builder(guarded, ground.log)
                .gateway(ground.gateway)
                .environment(ground.environment)
                .listenToAgent(address, NODE));
        agent.close();
        get(agent.closed());
        agent = ground.start(ground.agent(ground.unix("agent-socket"), address));

        AccessDeniedException failure = failure(prepare("web-1", key), AccessDeniedException.class);

        assertThat(failure.access()).contains(Access.in(key.namespace(), Permission.VOLUME_MOUNT));
    }

    @Test
    void preparingWorkloadWithoutVolumesIsRefused() {
        AllocationId allocation = AllocationId.of("web-1");
        String problem = "requests: there is none; name at least one volume for allocation web-1";
        assertThatThrownBy(() -> agent.prepare(allocation, List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(problem);
        assertThatThrownBy(() -> ground.lifecycle.claims().claim(allocation, List.of()))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage(problem);
    }

    /** The report is acknowledged, or it is sent again, though the server refuses it at first or gives no answer. */
    @Test
    void releaseReportThatFailsIsSentAgainUntilItIsAcknowledged() throws Exception {
        VolumeKey key = ground.volume("db");
        ground.running("web-1");
        get(prepare("web-1", key));
        ground.lifecycle.stopLeading();
        ground.close(server);
        get(server.closed());
        AtomicInteger reports = new AtomicInteger();
        CompletableFuture<ReleasedCall> third = new CompletableFuture<>();
        RawPeer failing = RawPeer.serving(
                servers.path().orElseThrow(),
                new ServersGrpc.ServersImplBase() {
                    @Override
                    public void released(ReleasedCall call, StreamObserver<Acknowledgement> out) {
                        switch (reports.incrementAndGet()) {
                            case 1 -> out.onError(io.grpc.Status.UNAVAILABLE.asRuntimeException());
                            case 2 -> {
                                out.onNext(Acknowledgement.newBuilder()
                                        .setVersion(RawPeer.VERSION)
                                        .setFailure(Failure.newBuilder()
                                                .setKind(FailureKind.FAILURE_KIND_REJECTED)
                                                .setRetryable(true))
                                        .build());
                                out.onCompleted();
                            }
                            default -> {
                                out.onNext(Acknowledgement.newBuilder()
                                        .setVersion(RawPeer.VERSION)
                                        .build());
                                out.onCompleted();
                                third.complete(call);
                            }
                        }
                    }
                }.bindService());
        try (failing) {
            assertThat(get(agent.teardown(AllocationId.of("web-1"), Duration.ofSeconds(20)))
                            .left())
                    .isEmpty();

            ReleasedCall report = get(third);

            assertThat(report.getAllocationId()).isEqualTo("web-1");
            assertThat(report.getVolume().getVolumeId()).isEqualTo("db");
        }
    }

    @Test
    void serverStatusShowsUnmountThatFailedOnNode() {
        VolumeKey key = ground.volume("db");
        ground.running("web-1");
        get(prepare("web-1", key));
        plugin.on(
                "NodeUnpublishVolume",
                (request, out) -> ScriptedPlugin.fail(out, io.grpc.Status.INTERNAL.withDescription("target is busy")));
        ground.place("web-1", NODE, AllocationStatus.ENDED);
        ground.until(
                "the release was tried",
                StateScope.volume(key),
                state -> state.volume(key)
                        .flatMap(volume -> volume.claims().get(AllocationId.of("web-1")))
                        .filter(claim -> claim.retry().lastError().isPresent())
                        .isPresent());

        var claim = get(ground.lifecycle.claims().status(key))
                .orElseThrow()
                .view()
                .volume()
                .claims()
                .get(AllocationId.of("web-1"))
                .orElseThrow();
        assertThat(claim.state()).isEqualTo(ClaimState.UNPUBLISHING);
        assertThat(claim.retry().lastError().orElseThrow())
                .contains("NodeUnpublishVolume for ext-db")
                .doesNotContain("target is busy");
        assertThat(claim.retry().nextRetry()).isPresent();
    }

    @Test
    void agentGetsNoGrantForVolumeOfAnotherNamespace() {
        VolumeKey key = ground.volume("db");
        ground.apply(new AllocationCommand.UpsertAllocation(
                AllocationId.of("stranger"),
                Namespace.of("team-b"),
                NODE,
                Optional.empty(),
                AllocationStatus.RUNNING,
                Instant.now()));
        RejectedException failure = failure(prepare("stranger", key), RejectedException.class);
        assertThat(failure.retryable()).isFalse();
        assertThat(failure).hasMessageContaining("namespace team-b").hasMessageContaining("namespace default");
        assertThat(ground.store.snapshot().volume(key).orElseThrow().inUse()).isFalse();
    }

    /** A node says that a volume is unmounted, and of a claim elsewhere it says nothing. */
    @Test
    void releaseReportForClaimOnOtherNodeIsRefused() throws Exception {
        VolumeKey key = ground.volume("db");
        ground.running("web-1");
        get(prepare("web-1", key));
        try (RawPeer raw = RawPeer.calling(servers.path().orElseThrow())) {
            ReleasedCall.Builder report = ReleasedCall.newBuilder()
                    .setVersion(RawPeer.VERSION)
                    .setNodeId(NODE.value())
                    .setVolume(VolumeName.newBuilder().setNamespace("default").setVolumeId("db"));
            assertThat(raw.call(
                                    ServersGrpc.getReleasedMethod(),
                                    report.setAllocationId("web-7").build())
                            .hasFailure())
                    .isFalse();
            assertThat(ground.store
                            .snapshot()
                            .volume(key)
                            .orElseThrow()
                            .claims()
                            .get(AllocationId.of("web-1"))
                            .orElseThrow()
                            .state())
                    .isEqualTo(ClaimState.TAKEN);
        }
    }

    /** The server is another one after a restart, and has to be told of the plugins again. */
    @Test
    void restartedServerGetsPluginFingerprintsAgain() throws Exception {
        VolumeKey key = ground.volume("db");
        ground.running("web-1");
        ground.running("web-2");
        get(prepare("web-1", key));
        CompletableFuture<List<MountedVolume>> second = prepare("web-2", key);
        waits(key, "web-2");

        ground.close(server);
        get(server.closed());
        ground.apply(new PluginCommand.FingerprintNode(NODE, List.of(), Instant.now()));
        assertThat(ground.known()).isEmpty();
        server = ground.start(ground.server().listenToAgent(servers, NODE));

        ground.knows(true);
        get(agent.teardown(AllocationId.of("web-1"), Duration.ofSeconds(20)));
        get(second);
    }

    /** Two servers; the one that is asked first does not lead. */
    @Test
    void agentFindsLeadingServer() throws Exception {
        Endpoint first = follower();
        agent.close();
        get(agent.closed());
        Endpoint listen = ground.unix("agent-socket");
        agent = ground.start(ground.agent(listen, ground.unix("nobody"), first, servers));
        get(agent.plugins()
                .waitForHealthy(io.csi4j.client.registry.instance.PluginRole.CONTROLLER, PLUGIN, Ground.PATIENCE));
        ground.knows(true);
        VolumeKey key = ground.volume("db");
        ground.running("web-1");

        get(prepare("web-1", key));

        assertThat(held(key, "web-1")).isTrue();
    }

    /** S8: calls reach the node through another server, and no further than that. */
    @Test
    void serverForwardsCallToAgentButNotToAnotherServer() throws Exception {
        Endpoint forwarding = ground.unix("forwarding");
        ground.start(ground.server().listenToServers(forwarding));
        RemoteNodeGateway far = RemoteNodeGateway.builder(node -> Optional.of(NodeRoute.via(forwarding)))
                .environment(ground.environment)
                .deadlines(CallDeadlines.ofDefaults())
                .build();
        try (far) {
            var delete = io.csi4j.core.rpc.DeleteVolumeRequest.builder(io.csi4j.core.csi.ExternalVolumeId.of("vol-1"))
                    .build();
            get(far.controller(Ground.MONOLITH).deleteVolume(delete));
            assertThat(plugin.count("DeleteVolume")).isEqualTo(1);

            plugin.on(
                    "DeleteVolume",
                    (request, out) -> ScriptedPlugin.fail(out, io.grpc.Status.NOT_FOUND.withDescription("no such")));
            var refused = failure(
                    far.controller(Ground.MONOLITH).deleteVolume(delete), io.csi4j.core.call.CsiCallException.class);
            assertThat(refused.code()).isEqualTo(io.csi4j.core.call.StatusCode.NOT_FOUND);

            // The second server does not reach it either, and a third is not asked.
            ground.routes.put(NODE, NodeRoute.via(forwarding));
            var lost = failure(
                    far.controller(Ground.MONOLITH).deleteVolume(delete), io.csi4j.core.call.CsiCallException.class);
            assertThat(lost.code()).isEqualTo(io.csi4j.core.call.StatusCode.UNAVAILABLE);
            assertThat(lost).hasMessageContaining("does not reach the agent of node node-1 by itself");

            ground.routes.put(NODE, NodeRoute.direct(ground.unix("nobody")));
            var unsent = failure(
                    far.controller(Ground.MONOLITH).deleteVolume(delete), io.csi4j.core.call.CsiCallException.class);
            assertThat(unsent.code()).isEqualTo(io.csi4j.core.call.StatusCode.UNAVAILABLE);
        }
        try (RawPeer raw = RawPeer.calling(forwarding.path().orElseThrow())) {
            var answer = raw.call(
                    ServersGrpc.getForwardMethod(),
                    AgentCall.newBuilder()
                            .setVersion(RawPeer.VERSION)
                            .setNodeId(NODE.value())
                            .setHops(1)
                            .build());
            assertThat(answer.getFailure().getMessage()).contains("passed on once already");
        }
    }

    /** A plugin in a container has the volumes at other paths, and the ledger nowhere. */
    @Test
    void pluginWithOwnFileSystemGetsTranslatedPaths() throws Exception {
        InstanceKey isolated = new InstanceKey(NODE, PluginId.of("boxed"), PluginType.MONOLITH, Optional.empty());
        PluginTask task = PluginTask.isolated(isolated);
        TaskSetup setup = agent.preparePlugin(task);
        Path volumes = ground.path("agent").resolve("volumes");
        assertThat(setup.mounts().stream().filter(mount -> mount.hostPath().startsWith(volumes)))
                .containsExactly(
                        new TaskMount(volumes.resolve("staging"), Path.of("/local/csi/staging"), true),
                        new TaskMount(volumes.resolve("publish"), Path.of("/local/csi/publish"), true));
        assertThat(volumes.resolve("staging")).isDirectory();
        assertThat(setup.mounts().stream().map(TaskMount::hostPath))
                .noneMatch(path -> volumes.resolve("ledger").startsWith(path));
        ScriptedPlugin boxed = new ScriptedPlugin(setup.registration().socket());
        get(agent.pluginStarted(task));
        ground.until(
                "the second plugin is known",
                StateScope.instancesOn(NODE),
                state -> state.instance(isolated)
                        .filter(known -> known.healthy())
                        .isPresent());
        VolumeKey key = VolumeKey.of("default", "boxed");
        get(ground.lifecycle
                .volumes()
                .register(
                        key,
                        VolumeSpec.builder(PluginId.of("boxed"))
                                .requestedCapabilities(List.of(Ground.WRITER))
                                .build()));
        ground.running("web-1");

        Path target = get(prepare("web-1", key)).get(0).targetPath();

        var publish = (io.csi4j.proto.csi.v1.NodePublishVolumeRequest)
                boxed.next("NodePublishVolume").request();
        assertThat(target).startsWithRaw(volumes.resolve("publish"));
        assertThat(publish.getTargetPath())
                .isEqualTo(Path.of("/local/csi")
                        .resolve(volumes.relativize(target))
                        .toString());
        boxed.close();
    }

    @Test
    void agentReportsItsOwnShutdown() {
        agent.close();
        ground.knows(false);
        assertThat(ground.known().orElseThrow().healthDescription()).contains("stopping");
    }
}
