package io.csi4j.examples.own;

import com.sun.net.httpserver.HttpServer;
import io.csi4j.client.registry.FilePluginStateStore;
import io.csi4j.client.registry.Fingerprinter;
import io.csi4j.client.registry.PluginPaths;
import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.client.registry.PluginSupervisor;
import io.csi4j.client.registry.PluginTask;
import io.csi4j.client.registry.RestartPolicy;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.Environment;
import io.csi4j.node.NodePlugins;
import io.csi4j.node.NodeVolumes;
import io.csi4j.node.WorkloadVolumes;
import io.csi4j.node.transport.TransportCodec;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executors;

/** A node of the host, in a process of its own: the plugins, the volumes, and the node's side of the RPC. */
public final class OwnNode {
    static final PluginId PLUGIN = PluginId.of("hostpath");

    private OwnNode() {}

    /**
     * Serves until the end of the standard input.
     *
     * @param args the id of the node, its port, its directory, and the address of the server
     */
    @SuppressWarnings("try") // the fingerprinter reports until the block ends
    public static void main(String[] args) throws Exception {
        NodeId id = NodeId.of(args[0]);
        HttpServer http = listen(Integer.parseInt(args[1]));
        Path directory = Files.createDirectories(Path.of(args[2])).toRealPath();
        ServerCalls server = new ServerCalls(URI.create(args[3]));
        // DOC
        Path base = directory.resolve("volumes");
        PluginPaths paths = PluginPaths.under(directory).withMountRoot(base);
        try (Environment environment = Environment.system();
                PluginRegistry registry = PluginRegistry.builder(id)
                        .store(FilePluginStateStore.at(directory.resolve("plugins"), paths))
                        .open();
                PluginSupervisor supervisor =
                        PluginSupervisor.over(registry, paths, RestartPolicy.ofDefaults(), event -> {});
                Fingerprinter fingerprinter = Fingerprinter.start(registry, server, Duration.ofMinutes(5))) {
            NodeVolumes volumes =
                    NodeVolumes.builder(base, NodePlugins.of(registry, base)).build();
            volumes.follow(registry);
            volumes.start().join(); // reads the ledger, and resumes unfinished work
            NodeHandlers.serve(http, id, new LocalVolumes(volumes, registry));
            NodeHandlers.serveControllers(http, registry);
            WorkloadVolumes workloads = new WorkloadVolumes(volumes, server, environment.timer());
            // DOC
            PluginTask task = PluginTask.onHost(new InstanceKey(id, PLUGIN, PluginType.MONOLITH, Optional.empty()));
            String endpoint = supervisor.prepare(task).endpoint();
            HttpRpc.serve(
                    http,
                    "/work/plugin",
                    request -> supervisor.taskStarted(task).thenApply(done -> new byte[0]));
            HttpRpc.serve(
                    http,
                    "/work/prepare",
                    request -> workloads
                            .prepare(
                                    AllocationId.of(request.value("allocation")),
                                    TransportCodec.CLAIMS.decode(request.body()))
                            .thenApply(mounted ->
                                    mounted.get(0).targetPath().toString().getBytes(StandardCharsets.UTF_8)));
            http.start();
            System.out.println(endpoint);
            while (System.in.read() >= 0) {
                // The input ends with the program that started this process.
            }
            http.stop(0);
            volumes.stop().join();
        }
    }

    /** Returns a server of HTTP for callers on this machine, whose handlers run on threads of their own. */
    static HttpServer listen(int port) throws IOException {
        HttpServer http = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 0);
        http.setExecutor(Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, "own-http");
            thread.setDaemon(true);
            return thread;
        }));
        return http;
    }
}
