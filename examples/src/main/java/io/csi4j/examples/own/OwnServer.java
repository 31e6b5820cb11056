package io.csi4j.examples.own;

import com.sun.net.httpserver.HttpServer;
import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.spi.ControllerTrust;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.node.transport.TransportCodec;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.StateStoreOptions;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;

/** The server of the host, in a process of its own so that it can be killed: the log, the engine, and the server's side of the RPC. */
public final class OwnServer {
    static final VolumeKey VOLUME = VolumeKey.of("default", "db");
    static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    private final VolumeLifecycle lifecycle;

    private OwnServer(VolumeLifecycle lifecycle) {
        this.lifecycle = lifecycle;
    }

    /**
     * Serves until the end of the standard input.
     *
     * @param args the port, the directory, and the addresses of node-1 and node-2
     */
    public static void main(String[] args) throws Exception {
        HttpServer http = OwnNode.listen(Integer.parseInt(args[0]));
        Path directory = Path.of(args[1]);
        Map<NodeId, URI> nodes =
                Map.of(NodeId.of("node-1"), URI.create(args[2]), NodeId.of("node-2"), URI.create(args[3]));
        // DOC
        // A real server encrypts the secrets in its files, with AesGcmSecretsCipher.
        StateStoreOptions options = StateStoreOptions.builder()
                .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                .build();
        try (FileLog log = new FileLog(directory, options, 100);
                Environment environment = Environment.system()) {
            HttpNodeGateway gateway = new HttpNodeGateway(
                    nodes,
                    Duration.ofMinutes(2),
                    instance -> log.state()
                            .snapshot()
                            .instance(instance)
                            .map(PluginInstance::capabilities)
                            .orElse(Capabilities.unknown()));
            try (VolumeLifecycle lifecycle = VolumeLifecycle.builder()
                    .log(log)
                    .gateway(gateway)
                    .controllers(ControllerTrust.everyNode())
                    .environment(environment)
                    .build()) {
                lifecycle.startLeading(); // finds unfinished work of before the restart in the state
                HttpRpc.serve(http, "/claim", new ClaimHandler(lifecycle.claims(), environment.timer())::claim);
                HttpRpc.serve(
                        http,
                        "/fingerprint",
                        request -> lifecycle
                                .cluster()
                                .nodePlugins(TransportCodec.FINGERPRINT.decode(request.body()))
                                .thenApply(done -> new byte[0]));
                // DOC
                HttpRpc.serve(http, "/host", new OwnServer(lifecycle)::host);
                for (NodeId node : nodes.keySet()) {
                    lifecycle.cluster().nodeReady(node).join();
                }
                http.start();
                System.out.println("ready");
                while (System.in.read() >= 0) {
                    // The input ends with the program that started this process.
                }
                http.stop(0);
            }
        }
    }

    /** Carries out a request of the scheduler, which reports where allocations run, and when they have ended. */
    private CompletableFuture<byte[]> host(HttpRpc.Request request) {
        String asked = request.uri().getPath();
        CompletableFuture<?> done = switch (asked) {
            case "/host/plugin" -> lifecycle.operator().waitForPlugin(OwnNode.PLUGIN, Duration.ofSeconds(40));
            case "/host/create" ->
                lifecycle
                        .volumes()
                        .create(
                                VOLUME,
                                VolumeSpec.builder(OwnNode.PLUGIN)
                                        .requestedCapabilities(List.of(WRITER))
                                        .build());
            case "/host/started" ->
                lifecycle
                        .cluster()
                        .allocationStarted(
                                AllocationId.of(request.value("allocation")),
                                VOLUME.namespace(),
                                NodeId.of(request.value("node")));
            case "/host/claims" ->
                lifecycle.volumes().get(VOLUME).thenApply(found -> {
                    List<String> claims = new ArrayList<>();
                    for (Claim claim : found.orElseThrow().volume().claims()) {
                        claims.add(claim.allocationId() + " on " + claim.nodeId() + " is " + claim.state());
                    }
                    return String.join(", ", claims);
                });
            case "/host/ended" -> lifecycle.cluster().allocationEnded(AllocationId.of(request.value("allocation")));
            case "/host/freed" ->
                lifecycle
                        .operator()
                        .detach(VOLUME, NodeId.of(request.value("node")))
                        .thenApply(freed -> freed.detached());
            case "/host/delete" -> lifecycle.volumes().delete(VOLUME);
            default -> CompletableFuture.failedFuture(new IllegalArgumentException(asked));
        };
        return done.thenApply(value -> String.valueOf(value).getBytes(StandardCharsets.UTF_8));
    }
}
