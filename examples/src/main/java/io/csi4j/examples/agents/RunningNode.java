package io.csi4j.examples.agents;

import io.csi4j.agent.NodeAgent;
import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.PluginTask;
import io.csi4j.client.registry.TaskSetup;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.testkit.FakePluginProcess;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** The parts of one node: its agent, and a plugin process that the agent supervises. */
record RunningNode(NodeAgent agent, FakePluginProcess plugin) implements AutoCloseable {

    /**
     * Starts an agent, and a plugin that uses the storage of all nodes.
     *
     * @param server the socket on which the server accepts this node
     * @param socket the socket on which the agent accepts servers
     */
    static RunningNode start(
            NodeId node, PluginId pluginId, Path directory, Endpoint server, Endpoint socket, Path storage)
            throws IOException {
        // DOC
        NodeAgent agent = NodeAgent.builder(node, directory)
                .servers(List.of(server))
                .listen(socket)
                .start();
        PluginTask task = PluginTask.onHost(new InstanceKey(node, pluginId, PluginType.MONOLITH, Optional.empty()));
        TaskSetup setup = agent.preparePlugin(task); // before each start
        FakePluginProcess plugin = FakePluginProcess.builder(setup.endpoint())
                .nodeId(node.toString())
                .stateDir(storage)
                .start();
        agent.pluginStarted(task).join(); // after each start
        // DOC
        return new RunningNode(agent, plugin);
    }

    /** Closes the agent, which leaves its mounts as they are, and then stops the plugin. */
    @Override
    public void close() {
        agent.close();
        agent.closed().orTimeout(20, TimeUnit.SECONDS).join();
        plugin.close();
    }
}
