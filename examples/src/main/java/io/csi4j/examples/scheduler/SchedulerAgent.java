package io.csi4j.examples.scheduler;

import io.csi4j.agent.NodeAgent;
import io.csi4j.client.registry.PluginTask;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The program of one node, in a process of its own: csi4j's agent, and the loop that runs allocations. */
public final class SchedulerAgent {
    private static final long CLOSE_SECONDS = 20;
    private static final Duration FINGERPRINTS = Duration.ofSeconds(5);

    private SchedulerAgent() {}

    /**
     * Serves until the end of the standard input, and leaves all mounts as they are. Prints the endpoint at which it expects the plugin.
     *
     * @param args the directory of the cluster, and the node
     */
    public static void main(String[] args) throws IOException {
        ClusterLayout layout = ClusterLayout.read(Path.of(args[0]));
        NodeId node = NodeId.of(args[1]);
        NodeAgent agent = NodeAgent.builder(node, layout.node(node))
                .servers(layout.serverSockets(node))
                .listen(layout.agentSocket(node))
                .fingerprintInterval(FINGERPRINTS)
                .environment(ShiftedClock.environment(layout.clock("agent-" + node)))
                .start();
        PluginTask plugin =
                PluginTask.onHost(new InstanceKey(node, ClusterLayout.PLUGIN, PluginType.MONOLITH, Optional.empty()));
        System.out.println(agent.preparePlugin(plugin).endpoint());
        agent.pluginStarted(plugin).join();
        AllocationLoop loop = new AllocationLoop(agent, layout);
        SchedulerServer.awaitEndOfInput();
        loop.close();
        agent.close();
        agent.closed().orTimeout(CLOSE_SECONDS, TimeUnit.SECONDS).join();
    }
}
