package io.csi4j.ratis.kill;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.AllocationCommand;
import io.csi4j.core.command.Batch;
import io.csi4j.core.command.ClaimCommand;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.NodeCommand;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.PluginCommand;
import io.csi4j.core.command.VolumeCommand;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.ratis.Peer;
import io.csi4j.ratis.RatisCommandLog;
import io.csi4j.ratis.RatisLogOptions;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.StateStoreOptions;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A peer in a process of its own. It reads one request a line (number, operation, volume, allocation) and answers each with one line (number,
 * result), in any order.
 */
public final class PeerProgram {
    static final String FAILED = "failed";
    private static final NodeId NODE = NodeId.of("node-1");
    private static final PluginId PLUGIN = PluginId.of("disk");
    private static final Namespace NAMESPACE = Namespace.of("default");
    private static final RequestedCapability WRITER = RequestedCapability.mount(AccessMode.SINGLE_NODE_WRITER);

    private final RatisCommandLog log;

    private PeerProgram(RatisCommandLog log) {
        this.log = log;
    }

    /**
     * Serves until the end of the input.
     *
     * @param args the number of this peer, the directory, and the ports of all peers
     */
    public static void main(String[] args) throws IOException {
        List<Peer> peers = new ArrayList<>();
        for (String port : Arrays.asList(args).subList(2, args.length)) {
            peers.add(Peer.of("peer-" + peers.size(), "127.0.0.1", Integer.parseInt(port)));
        }
        Peer self = peers.get(Integer.parseInt(args[0]));
        RatisLogOptions options = RatisLogOptions.builder()
                .electionTimeout(Duration.ofMillis(500))
                .submitTimeout(Duration.ofSeconds(5))
                // Small, so that many kills meet a snapshot.
                .snapshotInterval(200)
                .checkInterval(50)
                .build();
        try (RatisCommandLog log = RatisCommandLog.builder(Path.of(args[1]))
                .options(options)
                .state(StateStoreOptions.builder()
                        .secretsCipher(ClearTextSecretsCipher.secretsStayReadable())
                        .build())
                .peer(self)
                .newCluster(peers)
                .start()) {
            var unused = log.failed().thenAccept(failure -> System.out.println("0 stopped " + failure.getMessage()));
            System.out.println("0 started");
            new PeerProgram(log).serve();
        }
    }

    private void serve() throws IOException {
        var requests = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = requests.readLine(); line != null; line = requests.readLine()) {
            String[] request = line.split(" ");
            var unused = answer(request).handle((result, failure) -> {
                System.out.println(request[0] + " " + (failure == null ? result : FAILED));
                return null;
            });
        }
    }

    private CompletableFuture<String> answer(String[] request) {
        try {
            return switch (request[1]) {
                case "prepare" ->
                    log.submit(cluster(Integer.parseInt(request[2]))).thenApply(PeerProgram::text);
                case "take" ->
                    log.submit(take(volume(request[2]), AllocationId.of(request[3])))
                            .thenApply(PeerProgram::text);
                case "release" ->
                    log.submit(release(volume(request[2]), AllocationId.of(request[3])))
                            .thenApply(PeerProgram::text);
                case "read" -> log.readLinearizable().thenApply(state -> holder(state, volume(request[2])));
                case "leads" ->
                    CompletableFuture.completedFuture(
                            Boolean.toString(log.status().leading()));
                case "digest" -> log.readLinearizable().thenApply(state -> digest());
                default -> throw new IllegalArgumentException("unknown request " + request[1]);
            };
        } catch (CsiException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private static VolumeKey volume(String id) {
        return VolumeKey.of("default", id);
    }

    private static String text(Outcome outcome) {
        return outcome.accepted() ? Operation.OK : Operation.REJECTED;
    }

    /** A node, a plugin without a controller, and volumes with one writer each. */
    private static Command cluster(int volumes) {
        Instant now = Instant.EPOCH;
        List<Command> commands = new ArrayList<>();
        commands.add(new NodeCommand.UpsertNode(NODE, now));
        commands.add(new PluginCommand.FingerprintNode(
                NODE,
                List.of(PluginInstance.builder(new InstanceKey(NODE, PLUGIN, PluginType.NODE, Optional.empty()), now)
                        .health(true, "")
                        .services(CapabilitySet.of(PluginService.class, List.of()))
                        .nodeCapabilities(CapabilitySet.of(NodeCapability.class, List.of()))
                        .nodeInfo(new NodeInfo(ExternalNodeId.of("i-1"), 0, Optional.empty()))
                        .build()),
                now));
        for (int i = 0; i < volumes; i++) {
            VolumeSpec spec = VolumeSpec.builder(PLUGIN)
                    .requestedCapabilities(List.of(WRITER))
                    .build();
            commands.add(new VolumeCommand.RegisterVolume(
                    volume("v" + i), spec, VolumeOrigin.REGISTERED, ProviderFacts.none(), now));
        }
        return new Batch(commands, now);
    }

    private static Command take(VolumeKey key, AllocationId allocation) {
        Instant now = Instant.EPOCH;
        return new Batch(
                List.of(
                        new AllocationCommand.UpsertAllocation(
                                allocation, NAMESPACE, NODE, Optional.empty(), AllocationStatus.RUNNING, now),
                        new ClaimCommand.TakeClaims(
                                allocation, List.of(ClaimRequest.of(key, ClaimMode.WRITE, WRITER)), now)),
                now);
    }

    private static Command release(VolumeKey key, AllocationId allocation) {
        Instant now = Instant.EPOCH;
        List<Command> commands = new ArrayList<>();
        for (ClaimState state : List.of(ClaimState.UNPUBLISHING, ClaimState.NODE_DETACHED, ClaimState.READY_TO_FREE)) {
            commands.add(new ClaimCommand.CheckpointClaim(key, allocation, state, Optional.empty(), now));
        }
        commands.add(new ClaimCommand.FreeClaim(key, allocation, now));
        return new Batch(commands, now);
    }

    private static String holder(StateReader state, VolumeKey key) {
        return state.volume(key).orElseThrow().claims().holders().stream()
                .map(holder -> holder.allocationId().value())
                .findFirst()
                .orElse(Operation.FREE);
    }

    /** Returns the index and the digest of this peer's state. */
    private String digest() {
        try {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            long index = log.state().encode(bytes);
            return index
                    + ":"
                    + HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes.toByteArray()));
        } catch (IOException | NoSuchAlgorithmException e) {
            throw new IllegalStateException("the state cannot be encoded", e);
        }
    }
}
