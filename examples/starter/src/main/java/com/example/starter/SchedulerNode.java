package com.example.starter;

import io.csi4j.agent.NodeAgent;
import io.csi4j.client.registry.PluginTask;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.node.NodeVolumeOptions;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A node of the scheduler: it starts the plugin and the workloads, and mounts volumes for them. */
public final class SchedulerNode implements AutoCloseable {
    private final NodeAgent agent;
    private final PluginTask plugin;

    private SchedulerNode(NodeAgent agent, PluginTask plugin) {
        this.agent = agent;
        this.plugin = plugin;
    }

    /**
     * Does what each line of the input says: {@code plugin} after the start of the plugin with the endpoint that this
     * program prints, {@code prepare web-1 default/db} before the start of a workload.
     *
     * @param args the directory of the cluster, as for {@link SchedulerServer}
     */
    public static void main(String[] args) throws Exception {
        Path cluster = Path.of(args[0]).toAbsolutePath();
        try (SchedulerNode node = start(cluster, NodeId.of("node-1"), NodeVolumeOptions.defaults())) {
            System.out.println("CSI_ENDPOINT=" + node.pluginEndpoint());
            Lines.answer(words -> {
                switch (words.get(0)) {
                    case "plugin" -> {
                        node.pluginStarted();
                        return "the plugin is known";
                    }
                    case "prepare" -> {
                        return node.prepare(AllocationId.of(words.get(1)), Lines.volume(words.get(2)))
                                .toString();
                    }
                    default -> throw new IllegalArgumentException("plugin or prepare, not " + words.get(0));
                }
            });
        }
    }

    static SchedulerNode start(Path cluster, NodeId node, NodeVolumeOptions options) throws IOException {
        NodeAgent agent = NodeAgent.builder(node, cluster.resolve(node.toString()))
                .servers(List.of(SchedulerServer.serverSocket(cluster)))
                .listen(SchedulerServer.nodeSocket(cluster))
                .volumeOptions(options)
                .start();
        var instance = new InstanceKey(node, SchedulerServer.PLUGIN, PluginType.MONOLITH, Optional.empty());
        return new SchedulerNode(agent, PluginTask.onHost(instance));
    }

    /** Returns the endpoint for the plugin's process; call it before each start of the process. */
    String pluginEndpoint() {
        return agent.preparePlugin(plugin).endpoint();
    }

    /** Call it after each start of the plugin's process. */
    void pluginStarted() {
        agent.pluginStarted(plugin).join();
    }

    /** Claims a volume and mounts it; waits while another workload has it. Returns the paths for the workload. */
    List<Path> prepare(AllocationId workload, VolumeKey volume) {
        var claims = List.of(ClaimRequest.writing(volume, SchedulerServer.WRITER));
        return agent.prepare(workload, claims).join().stream()
                .map(mounted -> mounted.targetPath())
                .toList();
    }

    /** Ends the agent; mounts stay as they are, and the next start finds them. */
    @Override
    public void close() {
        agent.close();
        agent.closed().orTimeout(20, TimeUnit.SECONDS).join();
    }
}
