package io.csi4j.benchmarks.agent;

import io.csi4j.agent.NodeAgent;
import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.PluginTask;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.MountPoints;
import io.csi4j.node.MountTable;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.NodeVolumeOptions;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A program that starts an agent and a plugin for each node of the benchmark, and mounts volumes at each agent. */
final class AgentProgram {
    private AgentProgram() {}

    /**
     * Starts the agents.
     *
     * @param arguments the number of volumes, the directory of the certificates, and the nodes
     * @throws Exception if an agent cannot be started
     */
    public static void main(String[] arguments) throws Exception {
        int volumes = Integer.parseInt(arguments[0]);
        PemFiles files = new PemFiles(Path.of(arguments[1]));
        Timer timer = Timer.from(Executors.newSingleThreadScheduledExecutor());
        ExecutorService executor = Executors.newCachedThreadPool();
        for (String argument : List.of(arguments).subList(2, arguments.length)) {
            AgentNode agentNode = AgentNode.read(argument);
            NodeAgent agent = NodeAgent.builder(agentNode.id(), agentNode.directory())
                    .servers(List.of(Endpoint.unix(
                            agentNode.directory().resolveSibling("no-server").resolve("s"))))
                    .listen(agentNode.endpoint(files, agentNode.node()))
                    .environment(Environment.of(Clock.systemUTC(), timer, executor, new SplittableRandom()))
                    .mountTable(new EmptyMountTable())
                    .volumeOptions(NodeVolumeOptions.builder()
                            .syncedWrites(false)
                            .publishesWithoutMount(List.of(AgentNode.PLUGIN))
                            .build())
                    .start();
            ready(agent, agentNode, volumes);
        }
        Programs.serve();
    }

    private static void ready(NodeAgent agent, AgentNode agentNode, int volumes) throws Exception {
        PluginTask task = PluginTask.onHost(agentNode.instance());
        AutoCloseable plugin = Programs.start(
                InstantPlugin.class,
                List.of(agent.preparePlugin(task).registration().socket().toString()));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> close(plugin)));
        agent.pluginStarted(task).join();
        for (PluginRole role : PluginRole.values()) {
            agent.plugins()
                    .waitForHealthy(role, AgentNode.PLUGIN, Duration.ofSeconds(20))
                    .join();
        }
        List<CompletableFuture<?>> mounts = new ArrayList<>();
        for (int i = 0; i < volumes; i++) {
            NodeVolumeId id = new NodeVolumeId(AgentNode.key(i), AgentNode.PLUGIN, AgentNode.volume(i));
            mounts.add(agent.volumes()
                    .mount(NodeMount.builder(
                                    id, AgentNode.WEB, RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER))
                            .build()));
        }
        CompletableFuture.allOf(mounts.toArray(CompletableFuture<?>[]::new)).join();
    }

    private static void close(AutoCloseable plugin) {
        try {
            plugin.close();
        } catch (Exception failure) {
            System.err.println("the plugin process did not end: " + failure);
        }
    }

    /** A mount table that is always empty, because the plugin of the benchmark answers calls but mounts nothing. */
    private static final class EmptyMountTable implements MountTable {
        @Override
        public MountPoints read() {
            return MountPoints.of(List.of());
        }

        @Override
        public Optional<String> bootId() {
            return Optional.empty();
        }
    }
}
