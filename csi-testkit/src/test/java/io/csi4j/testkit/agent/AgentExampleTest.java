package io.csi4j.testkit.agent;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.agent.AgentServer;
import io.csi4j.agent.NodeAgent;
import io.csi4j.agent.RemoteNodeGateway;
import io.csi4j.agent.spi.NodeDirectory;
import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.node.MountedVolume;
import io.csi4j.registry.PluginTask;
import io.csi4j.registry.TaskSetup;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import io.csi4j.testkit.FakePluginProcess;
import io.csi4j.testkit.Machine;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example of docs/agent.md: it is the code of this test, and does what the page says. */
class AgentExampleTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL);

    @Test
    void exampleOfPageEqualsThisCode() throws Exception {
        String code = squeezed(Files.readString(Path.of("src/test/java/io/csi4j/testkit/agent/AgentExampleTest.java")));
        Matcher examples = EXAMPLE.matcher(Files.readString(Path.of("../docs/agent.md")));
        int count = 0;
        while (examples.find()) {
            count++;
            assertThat(code).as("%s", examples.group(1)).contains(squeezed(examples.group(1)));
        }
        assertThat(count).isEqualTo(6);
    }

    private static String squeezed(String text) {
        return text.replaceAll("\\s", "");
    }

    private static AutoCloseable launch(TaskSetup setup, Path storage) {
        return FakePluginProcess.builder(setup.endpoint()).stateDir(storage).start();
    }

    @Test
    void clusterOfOneNodeRuns(@TempDir Path temporary) throws Exception {
        Machine.assumeRoot();
        Path run = Files.createTempDirectory("csi").toRealPath();
        Path storage = temporary.resolve("storage");
        NodeId node = NodeId.of("node-1");
        Endpoint serverSocket = Endpoint.unix(run.resolve("server/csi.sock"));
        Endpoint agentSocket = Endpoint.unix(run.resolve("agent/csi.sock"));
        Path directory = run.resolve("node");
        try (StateStore store = StateStore.create()) {
            // On the server.
            LocalCommandLog log = new LocalCommandLog(store);
            RemoteNodeGateway gateway = RemoteNodeGateway.builder(
                            NodeDirectory.of(Map.of(node, NodeRoute.direct(agentSocket))))
                    .build();
            VolumeLifecycle lifecycle = VolumeLifecycle.of(log, gateway);
            lifecycle.startLeading();
            AgentServer server = AgentServer.builder(lifecycle, log)
                    .gateway(gateway)
                    .listenToAgent(serverSocket, node)
                    .start();

            // On the node.
            NodeAgent agent = NodeAgent.builder(node, directory)
                    .servers(List.of(serverSocket))
                    .listen(agentSocket)
                    .start();
            InstanceKey key = new InstanceKey(node, PluginId.of("hostpath"), PluginType.MONOLITH, Optional.empty());
            PluginTask task = PluginTask.onHost(key);
            AutoCloseable plugin = launch(agent.preparePlugin(task), storage);
            agent.pluginStarted(task).join();

            // What the scheduler knows, and what a user wants.
            lifecycle.cluster().nodeReady(node).join();
            lifecycle
                    .operator()
                    .waitForPlugin(PluginId.of("hostpath"), Duration.ofSeconds(40))
                    .join();
            VolumeKey volume = VolumeKey.of("default", "db");
            RequestedCapability writer = RequestedCapability.mount(AccessMode.SINGLE_NODE_WRITER);
            lifecycle
                    .volumes()
                    .create(
                            volume,
                            VolumeSpec.builder(PluginId.of("hostpath"))
                                    .requestedCapabilities(List.of(writer))
                                    .capacityRange(CapacityRange.atLeast(1 << 20))
                                    .build())
                    .join();
            AllocationId allocation = AllocationId.of("web-1");
            lifecycle
                    .cluster()
                    .allocationStarted(allocation, Namespace.of("default"), node)
                    .join();

            // On the node: claim, wait, stage, publish; then run the workload, and take it all back.
            List<MountedVolume> mounted = agent.prepare(
                            allocation, List.of(ClaimRequest.of(volume, ClaimMode.WRITE, writer)))
                    .join();
            Files.writeString(mounted.get(0).targetPath().resolve("hello"), "world");
            agent.teardown(allocation, Duration.ofSeconds(30)).join();

            assertThat(Machine.mountsBelow(directory)).isZero();
            plugin.close();
            agent.close();
            agent.closed().get(20, TimeUnit.SECONDS);
            server.close();
            lifecycle.close();
            gateway.close();
        } finally {
            Machine.cleanUp(run);
        }
    }
}
