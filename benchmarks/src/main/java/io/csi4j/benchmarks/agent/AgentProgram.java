package io.csi4j.benchmarks.agent;

import io.csi4j.agent.NodeAgent;
import io.csi4j.client.Endpoint;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.MountPoints;
import io.csi4j.node.MountTable;
import io.csi4j.node.NodeMount;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.NodeVolumeOptions;
import io.csi4j.registry.PluginTask;
import io.csi4j.registry.instance.PluginRole;
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

/** Agents of some nodes, each with a plugin and with all volumes mounted; a program of its own. */
final class AgentProgram {
    private AgentProgram() {}

    /**
     * The program.
     *
     * @param arguments how many volumes, the directory with certificates, and the places
     * @throws Exception if an agent cannot be started
     */
    public static void main(String[] arguments) throws Exception {
        int volumes = Integer.parseInt(arguments[0]);
        PemFiles files = new PemFiles(Path.of(arguments[1]));
        Timer timer = Timer.from(Executors.newSingleThreadScheduledExecutor());
        ExecutorService executor = Executors.newCachedThreadPool();
        for (String written : List.of(arguments).subList(2, arguments.length)) {
            Place place = Place.read(written);
            NodeAgent agent = NodeAgent.builder(place.id(), place.directory())
                    .servers(List.of(Endpoint.unix(
                            place.directory().resolveSibling("nobody").resolve("s"))))
                    .listen(place.endpoint(files, place.node()))
                    .environment(Environment.of(Clock.systemUTC(), timer, executor, new SplittableRandom()))
                    .mountTable(new Nothing())
                    .volumeOptions(NodeVolumeOptions.defaults().withSyncedWrites(false))
                    .start();
            ready(agent, place, volumes);
        }
        Programs.serve();
    }

    private static void ready(NodeAgent agent, Place place, int volumes) throws Exception {
        PluginTask task = PluginTask.onHost(place.instance());
        AutoCloseable plugin = Programs.start(
                InstantPlugin.class,
                List.of(agent.preparePlugin(task).registration().socket().toString()));
        Runtime.getRuntime().addShutdownHook(new Thread(() -> end(plugin)));
        agent.pluginStarted(task).join();
        for (PluginRole role : PluginRole.values()) {
            agent.plugins()
                    .waitForHealthy(role, Place.PLUGIN, Duration.ofSeconds(20))
                    .join();
        }
        List<CompletableFuture<?>> mounts = new ArrayList<>();
        for (int i = 0; i < volumes; i++) {
            NodeVolumeId id = new NodeVolumeId(Place.key(i), Place.PLUGIN, Place.volume(i));
            mounts.add(agent.volumes()
                    .mount(NodeMount.builder(id, Place.WEB, RequestedCapability.mount(AccessMode.SINGLE_NODE_WRITER))
                            .build()));
        }
        CompletableFuture.allOf(mounts.toArray(CompletableFuture<?>[]::new)).join();
    }

    private static void end(AutoCloseable plugin) {
        try {
            plugin.close();
        } catch (Exception left) {
            System.err.println("the plugin was left behind: " + left);
        }
    }

    /** The plugin mounts nothing. */
    private static final class Nothing implements MountTable {
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
