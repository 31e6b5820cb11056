package com.example.starter;

import io.csi4j.agent.spi.NodeDirectory;
import io.csi4j.agent.spi.NodeRoute;
import io.csi4j.client.Endpoint;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.replication.ratis.RatisCommandLog;
import io.csi4j.server.CsiServer;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The server of the scheduler: it records what shall be, and makes it so through the nodes. */
public final class SchedulerServer implements AutoCloseable {
    /** How workloads use the volumes of this scheduler: one node at a time mounts a volume, and writes. */
    static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    static final PluginId PLUGIN = PluginId.of("storage");

    private final CsiServer server;

    private SchedulerServer(CsiServer server) {
        this.server = server;
    }

    /**
     * Does what each line of the input says: {@code create default/db}, {@code start web-1 default/db}, {@code end web-1},
     * {@code delete default/db}.
     *
     * @param args the directory of the cluster, with a short name: server and node have a directory each in it
     */
    public static void main(String[] args) throws Exception {
        Path cluster = Path.of(args[0]).toAbsolutePath();
        NodeId node = NodeId.of("node-1");
        try (SchedulerServer scheduler = start(cluster, node)) {
            Lines.answer(words -> {
                switch (words.get(0)) {
                    case "create" -> scheduler.create(Lines.volume(words.get(1)));
                    case "start" -> scheduler.started(AllocationId.of(words.get(1)), Lines.volume(words.get(2)), node);
                    case "end" -> scheduler.ended(AllocationId.of(words.get(1)));
                    case "delete" -> scheduler.delete(Lines.volume(words.get(1)), node);
                    default -> throw new IllegalArgumentException("create, start, end or delete, not " + words.get(0));
                }
                return "done";
            });
        }
    }

    /** Starts the server. Confirmed changes are on the disk, so it continues after a crash. */
    static SchedulerServer start(Path cluster, NodeId node) throws IOException {
        CsiServer server = CsiServer.builder(RatisCommandLog.builder(cluster.resolve("server")))
                .agents(NodeDirectory.of(Map.of(node, NodeRoute.direct(nodeSocket(cluster)))), gateway -> gateway)
                .agentServer(agents -> agents.listenToAgent(serverSocket(cluster), node))
                // Where the scheduler has placed plugins with the secrets of the storage: others are not called.
                .lifecycle(engine -> engine.controllers((state, instance) -> instance.nodeId().equals(node)))
                .build();
        server.lifecycle().cluster().nodeReady(node).join();
        return new SchedulerServer(server);
    }

    /** Where nodes find the server. Between machines, use TLS: the guide "operate" says how. */
    static Endpoint serverSocket(Path cluster) {
        return Endpoint.unix(cluster.resolve("server.sock"));
    }

    static Endpoint nodeSocket(Path cluster) {
        return Endpoint.unix(cluster.resolve("node.sock"));
    }

    /** Creates a volume at the provider; waits until the plugin runs. */
    void create(VolumeKey volume) {
        lifecycle().operator().waitForPlugin(PLUGIN, Duration.ofMinutes(1)).join();
        var spec = VolumeSpec.builder(PLUGIN).requestedCapabilities(List.of(WRITER)).build();
        lifecycle().volumes().create(volume, spec).join();
    }

    /** Records where a workload runs; only then its node may prepare it. */
    void started(AllocationId workload, VolumeKey volume, NodeId node) {
        lifecycle().cluster().allocationStarted(workload, volume.namespace(), node).join();
    }

    /** Records that all processes of the workload have ended; the engine unmounts, detaches and frees the volume. */
    void ended(AllocationId workload) {
        lifecycle().cluster().allocationEnded(workload).join();
    }

    /** Deletes the volume at the provider, after it is free. */
    void delete(VolumeKey volume, NodeId lastNode) {
        lifecycle().operator().detach(volume, lastNode).join();
        lifecycle().volumes().delete(volume).join();
    }

    Volume volume(VolumeKey key) {
        return server.state().snapshot().volume(key).orElseThrow();
    }

    private VolumeLifecycle lifecycle() {
        return server.lifecycle();
    }

    @Override
    public void close() {
        server.close();
    }
}
