package io.csi4j.agent;

import static io.csi4j.agent.Ground.NODE;
import static io.csi4j.agent.Ground.get;
import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.CallDeadlines;
import io.csi4j.client.Endpoint;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.testkit.ClassArchive;
import io.csi4j.testkit.FakePluginProcess;
import io.csi4j.testkit.Machine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A cluster of processes: a server here, an agent and a plugin with real mounts as processes of their own. The engine's
 * calls go over a second server. Needs root on Linux; skipped elsewhere.
 */
class AgentClusterTest {
    private Ground ground;
    private VolumeLifecycle lifecycle;
    private Endpoint servers;
    private Endpoint listen;
    private AgentServer server;
    private AgentProcess agent;
    private FakePluginProcess plugin;

    @BeforeEach
    void start() throws Exception {
        Machine.assumeRoot();
        ground = new Ground();
        ground.lifecycle.stopLeading();
        servers = ground.unix("server");
        listen = ground.unix("agent-socket");
        Endpoint second = ground.unix("second");
        // The second server reaches the agent; the first one, whose engine leads, knows that.
        ground.routes.put(NODE, NodeRoute.direct(listen));
        ground.start(ground.server().listenToServers(second));
        RemoteNodeGateway viaSecond = ground.gateway(CallDeadlines.ofDefaults(), node -> NodeRoute.via(second));
        lifecycle = VolumeLifecycle.builder()
                .controllers(ControllerTrust.everyNode())
                .log(ground.log)
                .gateway(viaSecond)
                .environment(ground.environment)
                .build();
        lifecycle.startLeading();
        serve();
        agent = AgentProcess.start(ground.path("agent"), listen, servers);
        String socket = agent.ask("prepare-plugin");
        plugin = FakePluginProcess.builder("unix://" + socket)
                .jvmArguments(ClassArchive.option())
                .nodeId("ext-1")
                .stateDir(ground.path("storage"))
                .start();
        agent.ask("plugin-started");
        ground.knows(true);
    }

    private void serve() throws Exception {
        server = ground.start(AgentServer.builder(lifecycle, ground.log)
                .gateway(ground.gateway)
                .environment(ground.environment)
                .listenToAgent(servers, NODE));
    }

    @AfterEach
    void stop() throws Exception {
        if (ground == null) {
            return;
        }
        if (lifecycle != null) {
            lifecycle.stopLeading();
        }
        if (agent != null) {
            agent.close();
        }
        if (plugin != null) {
            plugin.close();
        }
        Machine.cleanUp(ground.directory);
        ground.close();
    }

    private void again() throws Exception {
        agent.kill();
        agent = AgentProcess.start(ground.path("agent"), listen, servers);
    }

    private VolumeKey created() {
        VolumeKey key = VolumeKey.of("default", "db");
        get(lifecycle
                .volumes()
                .create(
                        key,
                        VolumeSpec.builder(Ground.PLUGIN)
                                .requestedCapabilities(List.of(Ground.WRITER))
                                .capacityRange(CapacityRange.atLeast(1 << 20))
                                .build()));
        return key;
    }

    private void freed(VolumeKey key) {
        ground.until(
                key + " is free",
                StateScope.volume(key),
                state -> !state.volume(key).orElseThrow().inUse());
    }

    @Test
    void volumeLifecycleSurvivesAgentAndServerKill() throws Exception {
        VolumeKey key = created();
        ground.running("web-1");
        String path = agent.ask("prepare web-1 db");
        assertThat(path).startsWith(ground.path("agent").toString());
        Files.writeString(Path.of(path).resolve("file"), "kept");

        // The agent is killed with the volume mounted, the server goes away too, and both come back.
        agent.kill();
        ground.close(server);
        get(server.closed());
        assertThat(Path.of(path).resolve("file")).hasContent("kept");
        agent = AgentProcess.start(ground.path("agent"), listen, servers);
        serve();

        assertThat(agent.ask("prepare web-1 db")).isEqualTo(path);
        assertThat(Path.of(path).resolve("file")).hasContent("kept");
        assertThat(agent.ask("teardown web-1")).isEqualTo("[]");
        freed(key);
        assertThat(Machine.mountsBelow(ground.path("agent"))).isZero();
        get(lifecycle.volumes().delete(key));
    }

    /** Killed in the middle of a mount, and of an unmount; nothing is left, and nobody helps by hand. */
    @Test
    void restartedAgentResumesWorkAfterKill() throws Exception {
        VolumeKey key = created();
        for (int round = 1; round <= 3; round++) {
            String allocation = "web-" + round;
            ground.running(allocation);
            agent.report("prepare " + allocation + " db");
            ground.until(
                    "the volume is attached",
                    StateScope.volume(key),
                    state -> state.volume(key)
                            .flatMap(volume -> volume.attachments().on(NODE))
                            .filter(attachment -> attachment.state() == AttachmentState.PUBLISHED)
                            .isPresent());
            // The grant is on its way, or the mount is.
            again();
            assertThat(agent.ask("prepare " + allocation + " db")).endsWith("/" + AllocationId.of(allocation));

            agent.report("teardown " + allocation);
            again();
            ground.place(allocation, NODE, AllocationStatus.ENDED);
            freed(key);
            assertThat(Machine.mountsBelow(ground.path("agent"))).isZero();
        }
        get(lifecycle.volumes().delete(key));
    }
}
