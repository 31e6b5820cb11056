package io.csi4j.agent;

import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.get;
import static io.csi4j.agent.Ground.writing;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The host's timer after everything that used it was closed. */
class AgentTimersTest {
    @Test
    void closedServerLeavesNoTimerForGrantedClaim() throws Exception {
        try (Ground ground = new Ground()) {
            Endpoint servers = ground.unix("server");
            Endpoint listen = ground.unix("agent-socket");
            ground.routes.put(NODE, NodeRoute.direct(listen));
            AgentServer server = ground.start(ground.server().listenToAgent(servers, NODE));
            NodeAgent agent = ground.start(ground.agent(listen, servers));
            ground.plugin(agent);
            ground.knows(true);
            VolumeKey key = ground.volume("db");
            ground.running("web-1");
            get(agent.prepare(AllocationId.of("web-1"), List.of(writing(key))));

            agent.close();
            get(agent.closed());
            ground.close(server);
            ground.close(ground.gateway);
            ground.lifecycle.stopLeading();
            // The last answers end their timers on other threads.
            Instant limit = Instant.now().plusSeconds(10);
            while (!ground.scheduler.getQueue().isEmpty() && Instant.now().isBefore(limit)) {
                Thread.onSpinWait();
            }
            assertThat(ground.scheduler.getQueue()).isEmpty();
        }
    }
}
