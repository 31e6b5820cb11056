package io.csi4j.agent;

import static io.csi4j.agent.Ground.MONOLITH;
import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.failure;
import static io.csi4j.agent.Ground.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.CallDeadlines;
import io.csi4j.client.Endpoint;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.rpc.DeleteVolumeRequest;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import io.csi4j.proto.agent.v1.ServersGrpc;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every connection that is opened is closed: gRPC's own count of channels says so. */
class AgentChannelsTest {
    private Ground ground;
    private Endpoint listen;
    private RemoteNodeGateway gateway;

    @BeforeEach
    void start() throws Exception {
        // A leader asks the agents for reports, over channels that this test does not count.
        ground = Ground.withoutLeader();
        listen = ground.unix("agent-socket");
        gateway = ground.gateway(CallDeadlines.ofDefaults());
    }

    @AfterEach
    void stop() {
        ground.close();
    }

    private int open() {
        return OpenChannels.to(ground.directory.toString());
    }

    private void open(int count) {
        OpenChannels.await(ground.directory.toString(), count);
    }

    private CompletableFuture<?> deleting(RemoteNodeGateway by) {
        return by.controller(MONOLITH)
                .deleteVolume(DeleteVolumeRequest.builder(ExternalVolumeId.of("vol-1"))
                        .build());
    }

    private void unavailable(CompletableFuture<?> call) {
        assertThat(failure(call, CsiCallException.class).code()).isEqualTo(StatusCode.UNAVAILABLE);
    }

    @Test
    void closingGatewayClosesChannelToMissingAgent() {
        ground.routes.put(NODE, NodeRoute.direct(listen));
        for (int i = 0; i < 3; i++) {
            unavailable(deleting(gateway));
        }
        assertThat(open()).isEqualTo(1);
        gateway.close();
        open(0);
        unavailable(deleting(gateway));
        assertThat(open()).isZero();
    }

    /** The agent moves, again and again; at the end there is no way at all. */
    @Test
    void agentThatMovedHasOnlyOneChannel() {
        for (int i = 0; i < 10; i++) {
            ground.routes.put(NODE, NodeRoute.direct(ground.unix("place-" + i)));
            unavailable(deleting(gateway));
        }
        open(1);
        assertThat(OpenChannels.to(ground.path("place-9").toString())).isEqualTo(1);

        ground.routes.clear();
        unavailable(deleting(gateway));
        open(0);
    }

    /** It was reached straight, and is then over another server; that one has lost its way to it, too. */
    @Test
    void channelThroughServerReplacesDirectChannel() throws Exception {
        Endpoint second = ground.unix("second");
        ground.routes.put(NODE, NodeRoute.direct(listen));
        ground.start(ground.server().listenToServers(second));
        unavailable(deleting(gateway));
        assertThat(open()).isEqualTo(1);

        NodeRoute[] way = {NodeRoute.direct(listen)};
        RemoteNodeGateway far = ground.gateway(CallDeadlines.ofDefaults(), node -> way[0]);
        unavailable(deleting(far));
        assertThat(open()).isEqualTo(2);
        way[0] = NodeRoute.via(second);
        unavailable(deleting(far));
        // That to the second server, the second server's, and the first one's.
        open(3);
        ground.routes.clear();
        unavailable(deleting(far));
        unavailable(deleting(gateway));

        open(1);
        assertThat(OpenChannels.to(ground.path("second").toString())).isEqualTo(1);
        far.close();
        open(0);
    }

    /** Some calls come while it is being closed, and would open it again. */
    @Test
    void gatewayClosedDuringCallLeavesNoChannel() throws Exception {
        ground.plugin(ground.start(ground.agent(listen, ground.unix("nowhere"))));
        String served = listen.path().orElseThrow().toString();
        String unserved = ground.path("place-").toString();
        for (int round = 0; round < 20; round++) {
            int position = round;
            RemoteNodeGateway closed = ground.gateway(
                    CallDeadlines.ofDefaults(),
                    node -> NodeRoute.direct(position % 2 == 0 ? listen : ground.unix("place-" + position)));
            CyclicBarrier together = new CyclicBarrier(4);
            List<CompletableFuture<?>> calls = new ArrayList<>();
            for (int i = 0; i < 3; i++) {
                calls.add(CompletableFuture.runAsync(
                        () -> {
                            met(together);
                            for (int j = 0; j < 5; j++) {
                                var unused = deleting(closed).handle((done, failed) -> failed);
                            }
                        },
                        ground.executor));
            }
            met(together);
            closed.close();
            calls.forEach(Ground::get);
        }
        OpenChannels.await(served, 0);
        OpenChannels.await(unserved, 0);
    }

    private static void met(CyclicBarrier together) {
        try {
            together.await(20, TimeUnit.SECONDS);
        } catch (Exception broken) {
            throw new AssertionError(broken);
        }
    }

    @Test
    void stoppedAgentLeavesNoChannel() throws Exception {
        Endpoint server = ground.unix("server");
        ground.start(ground.server().listenToAgent(server, NODE));
        NodeAgent agent = ground.start(ground.agent(listen, ground.unix("nowhere"), server));
        ground.plugin(agent);
        ground.knows(true);
        assertThat(OpenChannels.to(ground.path("server").toString())).isEqualTo(1);
        assertThat(OpenChannels.to(ground.path("nowhere").toString())).isEqualTo(1);

        agent.close();
        get(agent.closed());

        open(0);
    }

    /** It closes the agent and at once its own threads, while the server does not answer. */
    @Test
    void stoppedExecutorLeavesNoChannel() throws Exception {
        CountDownLatch asked = new CountDownLatch(1);
        RawPeer mute = RawPeer.serving(
                ground.path("server").resolve("s"),
                new ServersGrpc.ServersImplBase() {
                    @Override
                    public void fingerprint(
                            io.csi4j.proto.agent.v1.AgentProto.FingerprintRequest request,
                            io.grpc.stub.StreamObserver<io.csi4j.proto.agent.v1.AgentProto.FingerprintAnswer> out) {
                        asked.countDown();
                    }
                }.bindService());
        ScheduledExecutorService scheduler = Executors.newScheduledThreadPool(1);
        ExecutorService executor = Executors.newCachedThreadPool();
        NodeAgent agent = ground.agent(listen, ground.unix("server"))
                .environment(Environment.of(
                        ground.environment.clock(), Timer.from(scheduler), executor, ground.environment.random()))
                .start();
        assertThat(asked.await(20, TimeUnit.SECONDS)).isTrue();
        assertThat(open()).isEqualTo(1);

        agent.close();
        scheduler.shutdownNow();
        executor.shutdownNow();

        open(0);
        assertThat(agent.closed()).succeedsWithin(20, TimeUnit.SECONDS);
        mute.close();
    }
}
