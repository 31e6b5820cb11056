package io.csi4j.benchmarks.scale;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import io.csi4j.state.StateStoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;

/**
 * One server with the real engine and store, on virtual time: each node runs one allocation for each of its volumes,
 * and the plugins answer after a virtual delay. All work runs on the calling thread, so the CPU time of this thread is
 * the cost of the engine.
 */
final class LargeCluster implements AutoCloseable {
    static final int VOLUMES_PER_NODE = 20;
    static final int PLUGINS = 20;

    private static final Namespace NAMESPACE = Namespace.of("default");
    private static final RequestedCapability WRITER = RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);
    /** The number of claims that arrive at the same time; the next ones arrive after {@code ARRIVAL_INTERVAL}. */
    private static final int ARRIVALS = 200;

    private static final Duration ARRIVAL_INTERVAL = Duration.ofMillis(100);
    private static final Duration LATENCY = Duration.ofMillis(500);
    private static final int BATCH = 1_000;

    private final VirtualTime time = VirtualTime.inOrder();
    private final SlowPlugins plugins = new SlowPlugins(time, LATENCY);
    private final StateStore store =
            StateStore.inMemory(StateStoreOptions.builder().watchExecutor(time).build());
    private final VolumeLifecycle lifecycle = VolumeLifecycle.builder()
            .log(new LocalCommandLog(store))
            .gateway(plugins)
            .environment(time.environment(new SplittableRandom(1)))
            .callbackExecutor(time)
            .build();
    private final int nodes;
    private int granted;

    LargeCluster(int nodes) {
        this.nodes = nodes;
        for (int n = 0; n < nodes; n++) {
            store.apply(new NodeCommand.UpsertNode(node(n), time.instant()));
            List<PluginInstance> instances = new ArrayList<>();
            for (int p = 0; p < PLUGINS; p++) {
                instances.add(instance(p, n));
            }
            store.apply(new PluginCommand.FingerprintNode(node(n), instances, time.instant()));
        }
        for (int from = 0; from < volumes(); from += BATCH) {
            List<Command> commands = new ArrayList<>();
            for (int v = from; v < Math.min(volumes(), from + BATCH); v++) {
                commands.add(register(v));
            }
            store.apply(new Batch(commands, time.instant()));
        }
        lifecycle.startLeading();
        time.run();
    }

    int volumes() {
        return nodes * VOLUMES_PER_NODE;
    }

    int granted() {
        return granted;
    }

    /** Returns the number of commands that the log has applied. */
    long commands() {
        return store.snapshot().index();
    }

    VirtualTime time() {
        return time;
    }

    SlowPlugins plugins() {
        return plugins;
    }

    private static NodeId node(int number) {
        return NodeId.of("node-" + number);
    }

    private static PluginId plugin(int number) {
        return PluginId.of("plugin-" + number);
    }

    private static VolumeKey volume(int number) {
        return new VolumeKey(NAMESPACE, VolumeId.of("volume-" + number));
    }

    private static AllocationId allocation(String prefix, int volume) {
        return AllocationId.of(prefix + volume);
    }

    private PluginInstance instance(int plugin, int node) {
        // Puts the controllers of each plugin on the last three nodes, because the benchmark never fences these nodes.
        PluginType type = node >= nodes - 3 ? PluginType.MONOLITH : PluginType.NODE;
        return PluginInstance.builder(
                        new InstanceKey(node(node), plugin(plugin), type, Optional.empty()), time.instant())
                .health(true, "")
                .provider("example.com")
                .vendorVersion("1")
                .capabilities(Capabilities.unknown()
                        .withServices(PluginService.CONTROLLER_SERVICE)
                        .withController(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)
                        .withNode())
                .nodeInfo(new NodeInfo(ExternalNodeId.of("i-" + node), 0, Optional.empty()))
                .build();
    }

    private VolumeCommand register(int volume) {
        VolumeSpec spec = VolumeSpec.builder(plugin(volume % PLUGINS))
                .requestedCapabilities(List.of(WRITER))
                .fencingPolicy(FencingPolicy.onFence())
                .build();
        return new VolumeCommand.RegisterVolume(
                volume(volume), spec, VolumeOrigin.REGISTERED, ProviderFacts.none(), time.instant());
    }

    private void allocation(AllocationId id, int node, AllocationStatus status) {
        store.apply(new AllocationCommand.UpsertAllocation(
                id, NAMESPACE, node(node), Optional.empty(), status, time.instant()));
    }

    private void claim(AllocationId id, int node, int volume) {
        allocation(id, node, AllocationStatus.RUNNING);
        var unused = lifecycle
                .claims()
                .claim(id, List.of(ClaimRequest.writing(volume(volume), WRITER)))
                .thenAccept(grant -> granted++);
    }

    /** Starts one allocation for each volume of each node, and returns when all their claims are granted. */
    void claimAll() {
        for (int v = 0; v < volumes(); v++) {
            claim(allocation("a-", v), v / VOLUMES_PER_NODE, v);
            if (v % ARRIVALS == ARRIVALS - 1) {
                time.advance(ARRIVAL_INTERVAL);
            }
        }
        runUntilGranted(volumes());
    }

    /**
     * Fences the first {@code rack} nodes, one after each interval, and starts each of their allocations again on
     * another node. Returns when all new claims are granted.
     */
    void loseRack(int rack, Duration interval) {
        int before = granted;
        for (int n = 0; n < rack; n++) {
            store.apply(new NodeCommand.FenceNode(node(n), "lost power", time.instant()));
            for (int i = 0; i < VOLUMES_PER_NODE; i++) {
                int volume = n * VOLUMES_PER_NODE + i;
                claim(allocation("b-", volume), rack + volume % (nodes - rack), volume);
            }
            time.advance(interval);
        }
        runUntilGranted(before + rack * VOLUMES_PER_NODE);
    }

    /** Ends all allocations, and returns when all volumes are free. */
    void endAll(int rack) {
        for (int v = 0; v < volumes(); v++) {
            boolean moved = v < rack * VOLUMES_PER_NODE;
            int node = moved ? rack + v % (nodes - rack) : v / VOLUMES_PER_NODE;
            allocation(allocation(moved ? "b-" : "a-", v), node, AllocationStatus.ENDED);
            if (v % ARRIVALS == ARRIVALS - 1) {
                time.advance(ARRIVAL_INTERVAL);
            }
        }
        while (store.snapshot().unsettledVolumes().iterator().hasNext()) {
            time.advance(ARRIVAL_INTERVAL);
        }
    }

    private void runUntilGranted(int count) {
        Duration end = time.elapsed().plus(Duration.ofHours(6));
        while (granted < count) {
            if (time.elapsed().compareTo(end) > 0) {
                throw new IllegalStateException(granted + " of " + count + " claims were granted within six hours");
            }
            time.advance(ARRIVAL_INTERVAL);
        }
    }

    @Override
    public void close() {
        lifecycle.close();
        store.close();
    }
}
