package io.csi4j.agent;

import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.failure;
import static io.csi4j.agent.Ground.get;
import static io.csi4j.agent.Ground.writing;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.CallDeadlines;
import io.csi4j.client.Endpoint;
import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.WaitingClaim;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.node.MountedVolume;
import io.csi4j.proto.agent.v1.AgentGrpc;
import io.csi4j.proto.agent.v1.AgentProto.AgentAnswer;
import io.csi4j.proto.agent.v1.AgentProto.AgentCall;
import io.csi4j.proto.agent.v1.AgentProto.AttachmentMode;
import io.csi4j.proto.agent.v1.AgentProto.CancelClaimCall;
import io.csi4j.proto.agent.v1.AgentProto.Capability;
import io.csi4j.proto.agent.v1.AgentProto.ClaimAnswer;
import io.csi4j.proto.agent.v1.AgentProto.ClaimCall;
import io.csi4j.proto.agent.v1.AgentProto.ClaimMode;
import io.csi4j.proto.agent.v1.AgentProto.ClaimedVolume;
import io.csi4j.proto.agent.v1.ServersGrpc;
import io.csi4j.proto.values.v1.ValuesProto.VolumeName;
import io.grpc.stub.StreamObserver;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Agents that say nothing any more. The server's time passes when the test says so; the sockets are real. */
@Timeout(180)
class AgentSilenceTest {
    private static final Duration ASKED = Duration.ofSeconds(20);
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final Duration MOMENT = Duration.ofMillis(1);

    private final VirtualTime time = VirtualTime.inOrder();
    private Ground ground;
    private Endpoint servers;
    private AgentServer server;
    private NodeAgent agent;
    private ScriptedPlugin plugin;
    /** The agent that falls silent. */
    private RawPeer silent;

    @BeforeEach
    void start() throws Exception {
        ground = new Ground();
        servers = ground.unix("server");
        Endpoint listen = ground.unix("agent-socket");
        ground.routes.put(NODE, NodeRoute.direct(listen));
        server = ground.start(
                ground.server().environment(ground.environment(time)).listenToAgent(servers, NODE));
        agent = ground.start(ground.agent(listen, servers));
        plugin = ground.plugin(agent);
        ground.knows(true);
        silent = RawPeer.calling(servers.path().orElseThrow());
    }

    @AfterEach
    void stop() throws Exception {
        silent.close();
        ground.close();
    }

    private static ClaimCall.Builder claim(String allocation, VolumeKey key) {
        return ClaimCall.newBuilder()
                .setVersion(RawPeer.VERSION)
                .setNodeId(NODE.value())
                .setAllocationId(allocation)
                .setAttempt("a1")
                .setWaitMillis(ASKED.toMillis())
                .addVolumes(ClaimedVolume.newBuilder()
                        .setVolume(VolumeName.newBuilder()
                                .setNamespace(key.namespace().value())
                                .setVolumeId(key.volumeId().value()))
                        .setMode(ClaimMode.CLAIM_MODE_WRITE)
                        .setCapability(Capability.newBuilder()
                                .setAccessMode(Ground.WRITER.accessMode().number())
                                .setAttachmentMode(AttachmentMode.ATTACHMENT_MODE_MOUNT)));
    }

    private CompletableFuture<ClaimAnswer> asking(ClaimCall.Builder claim) {
        return CompletableFuture.supplyAsync(
                () -> silent.call(ServersGrpc.getClaimMethod(), claim.build()), ground.executor);
    }

    private void cancelled(String allocation) {
        var answer = silent.call(
                ServersGrpc.getCancelClaimMethod(),
                CancelClaimCall.newBuilder()
                        .setVersion(RawPeer.VERSION)
                        .setNodeId(NODE.value())
                        .setAllocationId(allocation)
                        .setAttempt("a1")
                        .build());
        assertThat(answer.hasFailure()).as("%s", answer).isFalse();
    }

    private List<String> queue(VolumeKey key) {
        return get(ground.lifecycle.claims().status(key)).orElseThrow().waiting().stream()
                .map(WaitingClaim::allocationId)
                .map(AllocationId::value)
                .toList();
    }

    /** The queue is the engine's own; it has no watch. */
    private void untilQueueIs(VolumeKey key, String... allocations) {
        Instant end = Instant.now().plus(Ground.PATIENCE);
        List<String> now = queue(key);
        while (!now.equals(List.of(allocations))) {
            assertThat(Instant.now()).as("%s", now).isBefore(end);
            Thread.onSpinWait();
            now = queue(key);
        }
    }

    private CompletableFuture<List<MountedVolume>> prepare(String allocation, VolumeKey key) {
        return agent.prepare(AllocationId.of(allocation), List.of(writing(key)));
    }

    private void tornDown(String allocation) {
        assertThat(get(agent.teardown(AllocationId.of(allocation), Duration.ofSeconds(20)))
                        .left())
                .isEmpty();
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

    /** web-1 has the volume; web-2, whose agent falls silent, waits before web-3, whose agent asks on. */
    private CompletableFuture<List<MountedVolume>> aQueueOfTwo(VolumeKey key) throws Exception {
        for (String allocation : List.of("web-1", "web-2", "web-3")) {
            ground.running(allocation);
        }
        get(prepare("web-1", key));
        // So that what becomes of that grant is due at another time than what follows.
        time.advance(Duration.ofSeconds(1));
        CompletableFuture<ClaimAnswer> last = asking(claim("web-2", key));
        time.awaitTimersDueIn(1, ASKED);
        untilQueueIs(key, "web-2");
        CompletableFuture<List<MountedVolume>> third = prepare("web-3", key);
        time.awaitTimersDueIn(2, ASKED);
        untilQueueIs(key, "web-2", "web-3");

        time.advance(ASKED);

        assertThat(get(last).hasWaiting()).isTrue();
        time.awaitTimersDueIn(1, ASKED);
        return third;
    }

    @Test
    void waitingClaimOfSilentAgentLosesQueuePositionWhenLeaseEnds() throws Exception {
        VolumeKey key = ground.volume("db");
        CompletableFuture<List<MountedVolume>> third = aQueueOfTwo(key);
        time.advance(ASKED);
        time.awaitTimersDueIn(1, ASKED);
        time.advance(ASKED);
        // With the answer to web-3, the lease of web-2.
        time.awaitTimersDueIn(2, ASKED);
        time.advance(ASKED.minus(MOMENT));
        assertThat(queue(key)).containsExactly("web-2", "web-3");

        time.advance(MOMENT);

        untilQueueIs(key, "web-3");
        // Long after the lease of its first question.
        for (int i = 0; i < 5; i++) {
            time.awaitTimersDueIn(1, ASKED);
            time.advance(ASKED);
        }
        tornDown("web-1");
        get(third);
        assertThat(held(key, "web-3")).isTrue();
        assertThat(held(key, "web-2")).isFalse();
    }

    /** The node's next agent claims for the same allocation; what the old one sent last arrives then. */
    @Test
    void lateReportOfReplacedAgentIsIgnored() throws Exception {
        VolumeKey key = ground.volume("db");
        CompletableFuture<List<MountedVolume>> third = aQueueOfTwo(key);
        time.advance(LEASE);
        untilQueueIs(key, "web-3");
        third.cancel(false);
        untilQueueIs(key);

        CompletableFuture<List<MountedVolume>> second = prepare("web-2", key);
        untilQueueIs(key, "web-2");
        cancelled("web-2");
        assertThat(queue(key)).containsExactly("web-2");
        tornDown("web-1");
        get(second);
        cancelled("web-2");

        assertThat(held(key, "web-2")).isTrue();
        assertThat(plugin.count("NodeUnpublishVolume")).isEqualTo(1);
    }

    /** It was only slow: it asks again, with the same attempt, and gets a place at the end. */
    @Test
    void claimRepeatedAfterItsLeaseEndedIsLastInQueue() throws Exception {
        VolumeKey key = ground.volume("db");
        CompletableFuture<List<MountedVolume>> third = aQueueOfTwo(key);
        time.advance(LEASE);
        untilQueueIs(key, "web-3");

        CompletableFuture<ClaimAnswer> again = asking(claim("web-2", key));
        untilQueueIs(key, "web-3", "web-2");

        tornDown("web-1");
        get(third);
        tornDown("web-3");
        assertThat(get(again).hasGrant()).isTrue();
        assertThat(held(key, "web-2")).isTrue();
    }

    /** A claim of other volumes takes the place of the first, and ends with its agent like any other. */
    @Test
    void claimThatReplacesEarlierClaimEndsWithItsOwnLease() throws Exception {
        VolumeKey one = ground.volume("one");
        VolumeKey two = ground.volume("two");
        for (String allocation : List.of("web-1", "web-2", "web-3")) {
            ground.running(allocation);
        }
        get(prepare("web-1", one));
        get(prepare("web-2", two));
        CompletableFuture<ClaimAnswer> first = asking(claim("web-3", one));
        untilQueueIs(one, "web-3");

        CompletableFuture<ClaimAnswer> other = asking(claim("web-3", two).setAttempt("a2"));
        untilQueueIs(two, "web-3");
        untilQueueIs(one);
        assertThat(get(first).hasFailure()).isTrue();
        time.awaitTimersDueIn(1, ASKED);
        time.advance(ASKED);
        assertThat(get(other).hasWaiting()).isTrue();
        assertThat(queue(two)).containsExactly("web-3");

        time.advance(LEASE);

        untilQueueIs(two);
    }

    /** The question of a connection that broke, and the one after it, arrive together. */
    @Test
    void concurrentRequestsForOneClaimShareLease() throws Exception {
        VolumeKey key = ground.volume("db");
        ground.running("web-1");
        ground.running("web-2");
        get(prepare("web-1", key));
        time.advance(Duration.ofSeconds(1));
        for (int round = 0; round < 20; round++) {
            CyclicBarrier together = new CyclicBarrier(4);
            List<CompletableFuture<ClaimAnswer>> answers = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                answers.add(CompletableFuture.supplyAsync(
                        () -> {
                            try {
                                together.await();
                            } catch (Exception broken) {
                                throw new AssertionError(broken);
                            }
                            return silent.call(
                                    ServersGrpc.getClaimMethod(),
                                    claim("web-2", key).build());
                        },
                        ground.executor));
            }
            time.awaitTimersDueIn(4, ASKED);
            assertThat(time.timersDueIn(ASKED.plus(LEASE))).isEqualTo(1);
            time.advance(ASKED);
            answers.forEach(answer -> assertThat(get(answer).hasWaiting()).isTrue());
        }
        assertThat(queue(key)).containsExactly("web-2");
    }

    @Test
    void closedServerCancelsWaitingClaims() throws Exception {
        VolumeKey key = ground.volume("db");
        CompletableFuture<List<MountedVolume>> third = aQueueOfTwo(key);
        ground.close(server);
        untilQueueIs(key);
        third.cancel(false);
    }

    /** The old one hangs; then there is no way at all; then there is another one. */
    @Test
    void callsToHungAgentTimeOutAndLaterCallsReachItsSuccessor() throws Exception {
        CompletableFuture<AgentCall> asked = new CompletableFuture<>();
        RawPeer old = RawPeer.serving(
                ground.path("old").resolve("s"),
                new AgentGrpc.AgentImplBase() {
                    @Override
                    public void call(AgentCall call, StreamObserver<AgentAnswer> out) {
                        asked.complete(call);
                    }
                }.bindService());
        NodeRoute present = ground.routes.put(NODE, NodeRoute.direct(ground.unix("old")));
        RemoteNodeGateway hasty = ground.gateway(CallDeadlines.ofDefaults().withAll(Duration.ofMillis(200)));
        DeleteVolumeRequest delete =
                DeleteVolumeRequest.builder(ExternalVolumeId.of("vol-1")).build();
        CompletableFuture<?> lost = hasty.controller(Ground.MONOLITH).deleteVolume(delete);
        assertThat(get(asked).getDeadlineMillis()).isEqualTo(200);
        CsiCallException unknown = failure(lost, CsiCallException.class);
        assertThat(unknown.code()).isEqualTo(StatusCode.DEADLINE_EXCEEDED);
        assertThat(unknown.outcome()).isEqualTo(CallOutcome.OUTCOME_UNKNOWN);

        ground.routes.remove(NODE);
        CsiCallException gone = failure(hasty.controller(Ground.MONOLITH).deleteVolume(delete), CsiCallException.class);
        assertThat(gone.code()).isEqualTo(StatusCode.UNAVAILABLE);
        assertThat(gone).hasMessageContaining("no way to its agent is known");
        ground.routes.put(NODE, present);
        get(ground.gateway.controller(Ground.MONOLITH).deleteVolume(delete));
        assertThat(plugin.count("DeleteVolume")).isEqualTo(1);
        old.close();
    }
}
