package io.csi4j.benchmarks.state;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.TopologyRequirement;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;

/**
 * Creates the commands that the benchmark measures. They describe a cluster with ten plugins, and volumes whose keys
 * are in random order.
 */
final class StateWorkload {
    static final int PLUGINS = 10;
    static final int NODES = 200;
    static final Instant AT = Instant.parse("2026-11-01T12:00:00Z");
    private static final RequestedCapability WRITER =
            RequestedCapability.mount(VolumeAccessMode.MULTI_NODE_MULTI_WRITER);

    private final int[] order;

    StateWorkload(int volumes, long seed) {
        List<Integer> shuffled = new ArrayList<>(volumes);
        for (int i = 0; i < volumes; i++) {
            shuffled.add(i);
        }
        Collections.shuffle(shuffled, new Random(seed));
        order = shuffled.stream().mapToInt(Integer::intValue).toArray();
    }

    int volumes() {
        return order.length;
    }

    List<Command> cluster(int allocations) {
        List<Command> commands = new ArrayList<>();
        for (int n = 0; n < NODES; n++) {
            NodeId node = NodeId.of("node-" + n);
            commands.add(new NodeCommand.UpsertNode(node, AT));
            List<PluginInstance> instances = new ArrayList<>();
            for (int p = 0; p < PLUGINS; p++) {
                instances.add(instance(node, n, p));
            }
            commands.add(new PluginCommand.FingerprintNode(node, instances, AT));
        }
        for (int a = 0; a < allocations; a++) {
            commands.add(new AllocationCommand.UpsertAllocation(
                    allocation(a),
                    Namespace.of("default"),
                    NodeId.of("node-" + a % NODES),
                    Optional.empty(),
                    AllocationStatus.RUNNING,
                    AT));
        }
        return commands;
    }

    private static PluginInstance instance(NodeId node, int n, int p) {
        return PluginInstance.builder(
                        new InstanceKey(
                                node,
                                PluginId.of("plugin-" + p),
                                PluginType.NODE,
                                Optional.of(AllocationId.of("agent-" + p + "-" + n))),
                        AT)
                .health(true, "")
                .provider("example.com")
                .vendorVersion("1")
                .capabilities(
                        Capabilities.unknown().withServices().withController().withNode())
                .nodeInfo(new NodeInfo(
                        ExternalNodeId.of("i-" + n), 0, Optional.of(Topology.of("example.com/zone", "z" + n % 3))))
                .build();
    }

    /** Returns the commands that register the volumes at positions {@code from} to {@code to} of the random order. */
    List<Command> register(int from, int to) {
        List<Command> commands = new ArrayList<>(to - from);
        for (int i = from; i < to; i++) {
            int number = order[i];
            commands.add(new VolumeCommand.RegisterVolume(
                    key(number), spec(number), VolumeOrigin.REGISTERED, ProviderFacts.none(), AT));
        }
        return commands;
    }

    /**
     * Returns the specification of a volume. No two specifications have string or map objects in common, as if each
     * came from a separate request.
     */
    private static VolumeSpec spec(int number) {
        return VolumeSpec.builder(PluginId.of("plugin-" + number % PLUGINS))
                .externalVolumeId(ExternalVolumeId.of("vol-0f" + Long.toHexString(number * 0x9E3779B97F4A7C15L)))
                .requestedCapabilities(List.of(WRITER, RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                .parameters(Map.of("type", "gp3", "encrypted", "true"))
                .volumeContext(VolumeContext.of(Map.of("pool", "p" + number % 7)))
                .accessibilityRequirements(TopologyRequirement.requisite(
                        Topology.of("example.com/zone", "z0"),
                        Topology.of("example.com/zone", "z1"),
                        Topology.of("example.com/zone", "z2")))
                .build();
    }

    static VolumeKey key(int number) {
        return VolumeKey.of("default", String.format("vol-%08d", number));
    }

    static AllocationId allocation(int number) {
        return AllocationId.of("alloc-" + number);
    }

    /** Returns the numbers of {@code count} different volumes, chosen at random. */
    int[] sample(int count, Random random) {
        int[] picked = new int[count];
        int start = random.nextInt(order.length);
        for (int i = 0; i < count; i++) {
            picked[i] = order[(start + i) % order.length];
        }
        return picked;
    }

    static List<Command> takes(int[] volumes, int allocations) {
        return Arrays.stream(volumes)
                .<Command>mapToObj(number -> new ClaimCommand.TakeClaims(
                        allocation(number % allocations),
                        List.of(ClaimRequest.of(key(number), ClaimMode.WRITE, WRITER)),
                        AT))
                .toList();
    }

    static List<Command> checkpoints(int[] volumes, int allocations, ClaimState state) {
        return Arrays.stream(volumes)
                .<Command>mapToObj(number ->
                        new ClaimCommand.CheckpointClaim(key(number), allocation(number % allocations), state, AT))
                .toList();
    }

    static List<Command> frees(int[] volumes, int allocations) {
        return Arrays.stream(volumes)
                .<Command>mapToObj(number -> new Batch(
                        List.of(
                                new ClaimCommand.CheckpointClaim(
                                        key(number), allocation(number % allocations), ClaimState.READY_TO_FREE, AT),
                                new ClaimCommand.FreeClaim(key(number), allocation(number % allocations), AT)),
                        AT))
                .toList();
    }

    static Command take(VolumeKey key, int allocation) {
        return new ClaimCommand.TakeClaims(
                allocation(allocation), List.of(ClaimRequest.of(key, ClaimMode.WRITE, WRITER)), AT);
    }

    static Command override(VolumeKey key, int allocation) {
        return new ClaimCommand.OverrideClaim(key, allocation(allocation), "benchmark", "again", AT);
    }

    static Command free(VolumeKey key, int allocation) {
        return new ClaimCommand.FreeClaim(key, allocation(allocation), AT);
    }
}
