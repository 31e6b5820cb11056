package io.csi4j.examples.quickstart;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.replication.ratis.RatisCommandLog;
import io.csi4j.server.CsiServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.stream.Collectors;
import java.util.stream.StreamSupport;

/**
 * The server of the quickstart, in a process of its own so that it can be killed: a durable server and the node of this machine. It reads one
 * request a line and answers each with one line. {@link #answer} is the code to copy.
 */
public final class VolumeServer {
    private static final PluginId PLUGIN = PluginId.of("hostpath");
    private static final VolumeKey VOLUME = VolumeKey.of("default", "db");
    private static final AllocationId WEB = AllocationId.of("web-1");
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    private final CsiServer server;

    private VolumeServer(CsiServer server) {
        this.server = server;
    }

    /**
     * Serves until the end of the standard input.
     *
     * @param args the data directory
     */
    public static void main(String[] args) throws IOException {
        // The server keeps its whole state in this directory. A change is on disk before the server acts on it.
        Path directory = Path.of(args[0]);
        try (CsiServer server = CsiServer.builder(RatisCommandLog.builder(directory))
                .node(NodeId.of("local"), directory.resolve("node"))
                .build()) {
            new VolumeServer(server).serve();
        }
    }

    private void serve() throws IOException {
        reply(server.node().preparePlugin(PLUGIN).endpoint());
        var requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String request = requests.readLine(); request != null; request = requests.readLine()) {
            try {
                reply(answer(request));
            } catch (CompletionException e) {
                System.out.println("failed " + (e.getCause() instanceof CsiException csi ? csi.getMessage() : e));
            }
        }
    }

    private static void reply(String text) {
        System.out.println("ok " + text);
    }

    private String answer(String request) {
        var lifecycle = server.lifecycle();
        var node = server.node();
        return switch (request) {
            case "plugin" ->
                "healthy on " + node.pluginStarted(PLUGIN).join().plugin().healthyNodes() + " node";
            case "create" -> {
                var spec = VolumeSpec.builder(PLUGIN)
                        .requestedCapabilities(List.of(WRITER))
                        .capacityRange(CapacityRange.atLeast(16 << 20))
                        .build();
                Volume volume = lifecycle.volumes().create(VOLUME, spec).join();
                yield VOLUME + " is " + volume.remoteId() + " at the provider";
            }
            case "mount" -> {
                // The scheduler reports where the workload runs; prepare claims the volume and mounts it there.
                lifecycle
                        .cluster()
                        .allocationStarted(WEB, VOLUME.namespace(), node.nodeId())
                        .join();
                var claims = List.of(ClaimRequest.writing(VOLUME, WRITER));
                yield node.prepare(WEB, claims).join().get(0).targetPath().toString();
            }
            case "status" -> {
                Volume volume = server.state().snapshot().volume(VOLUME).orElseThrow();
                yield StreamSupport.stream(volume.claims().spliterator(), false)
                        .map(claim -> "claim of " + claim.allocationId() + " on node " + claim.nodeId() + " is "
                                + claim.state())
                        .collect(Collectors.joining("; "));
            }
            case "end" -> {
                // The engine unmounts, detaches and frees the volume on its own; detach waits until it is free.
                lifecycle.cluster().allocationEnded(WEB).join();
                yield lifecycle.operator().detach(VOLUME, node.nodeId()).join().detached() ? "freed" : "still attached";
            }
            case "delete" -> {
                lifecycle.volumes().delete(VOLUME).join();
                yield VOLUME + " is gone";
            }
            default -> throw new IllegalArgumentException("unknown request: " + request);
        };
    }
}
