package io.csi4j.benchmarks.engine;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.VolumeRequest;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ControllerCapability;
import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.PluginService;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand;
import io.csi4j.core.internal.command.VolumeClassCommand;
import io.csi4j.core.internal.command.VolumeCommand;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeInfo;
import io.csi4j.core.plugin.PluginInstance;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.ProviderFacts;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeOrigin;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.core.volume.VolumeTemplate;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import io.csi4j.state.StateStoreOptions;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** An engine with its own log, store and cluster. */
public final class EngineRig implements AutoCloseable {
    public static final int NODES = 100;
    static final int ZONES = 3;
    static final VolumeClassName CLASS = VolumeClassName.of("disk");
    static final Instant AT = Instant.parse("2026-11-01T12:00:00Z");
    static final Namespace NAMESPACE = Namespace.of("default");
    private static final RequestedCapability CAPABILITY =
            RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER);

    public final StateStore store;
    public final VolumeLifecycle lifecycle;
    final Plugins plugins;
    private final CommandLog log;
    private final boolean ownsStore;
    private final ExecutorService executor;
    private final ExecutorService answerThread;
    private final ScheduledThreadPoolExecutor timer;

    EngineRig(Duration delay, LifecycleOptions options, int threads) {
        this(delay, options, threads, false);
    }

    /** Returns a rig whose plugins answer on a separate thread, as plugins behind a transport do. */
    static EngineRig separateAnswerThread(LifecycleOptions options, int threads) {
        return new EngineRig(Duration.ZERO, options, threads, true);
    }

    /** Returns a rig whose plugins answer at once, over a command log that the caller closes. */
    public static EngineRig over(CommandLog log, StateStore store) {
        return new EngineRig(log, store, Duration.ZERO, LifecycleOptions.ofDefaults(), 2, false);
    }

    private EngineRig(Duration delay, LifecycleOptions options, int threads, boolean separateAnswerThread) {
        this(null, null, delay, options, threads, separateAnswerThread);
    }

    private EngineRig(
            @Nullable CommandLog givenLog,
            @Nullable StateStore givenStore,
            Duration delay,
            LifecycleOptions options,
            int threads,
            boolean separateAnswerThread) {
        executor = Executors.newFixedThreadPool(threads, task -> daemon(task, "engine"));
        timer = new ScheduledThreadPoolExecutor(1, task -> daemon(task, "timer"));
        timer.setRemoveOnCancelPolicy(true);
        ownsStore = givenStore == null;
        store = givenStore == null
                ? StateStore.inMemory(
                        StateStoreOptions.builder().watchExecutor(executor).build())
                : givenStore;
        log = givenLog == null ? new LocalCommandLog(store) : givenLog;
        answerThread = Executors.newSingleThreadExecutor(task -> daemon(task, "plugin"));
        plugins = new Plugins(timer, delay, separateAnswerThread ? answerThread : null);
        lifecycle = VolumeLifecycle.builder()
                .log(log)
                .gateway(plugins)
                .environment(Environment.of(Clock.systemUTC(), Timer.from(timer), executor, new SplittableRandom(1)))
                .options(options)
                .build();
        if (ownsStore) {
            lifecycle.startLeading();
        }
    }

    private void apply(Command command) {
        log.submit(command).join();
    }

    private static Thread daemon(Runnable task, String name) {
        Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        return thread;
    }

    public void cluster(PluginId... pluginIds) {
        for (int n = 0; n < NODES; n++) {
            NodeId nodeId = node(n);
            apply(new NodeCommand.UpsertNode(nodeId, AT));
            List<PluginInstance> instances = new ArrayList<>();
            for (PluginId plugin : pluginIds) {
                instances.add(instance(plugin, nodeId, n).build());
            }
            apply(new PluginCommand.FingerprintNode(nodeId, instances, AT));
        }
    }

    /** Adds nodes with a plugin that creates volumes in the zones of the nodes, and a class for such volumes. */
    void zonedCluster(PluginId plugin) {
        zonedCluster(plugin, NODES, ZONES).forEach(this::apply);
    }

    /** Returns the commands that add nodes in some zones, their instances of a plugin, and a class of its volumes. */
    static List<Command> zonedCluster(PluginId plugin, int nodes, int zones) {
        List<Command> commands = new ArrayList<>();
        for (int n = 0; n < nodes; n++) {
            commands.add(new NodeCommand.UpsertNode(node(n), AT));
            PluginInstance instance = instance(plugin, node(n), n)
                    .capabilities(Capabilities.unknown()
                            .withServices(
                                    PluginService.CONTROLLER_SERVICE, PluginService.VOLUME_ACCESSIBILITY_CONSTRAINTS)
                            .withController(
                                    ControllerCapability.PUBLISH_UNPUBLISH_VOLUME,
                                    ControllerCapability.CREATE_DELETE_VOLUME)
                            .withNode())
                    .nodeInfo(new NodeInfo(
                            ExternalNodeId.of("i-" + n), 0, Optional.of(Topology.of("zone", "zone-" + n % zones))))
                    .build();
            commands.add(new PluginCommand.FingerprintNode(node(n), List.of(instance), AT));
        }
        commands.add(new VolumeClassCommand.PutVolumeClass(
                VolumeClass.builder(CLASS, plugin)
                        .requestedCapabilities(List.of(CAPABILITY))
                        .defaultCapacity(CapacityRange.atLeast(1L << 30))
                        .build(),
                0,
                AT));
        return commands;
    }

    private static PluginInstance.Builder instance(PluginId plugin, NodeId nodeId, int number) {
        PluginType type = number < 3 ? PluginType.MONOLITH : PluginType.NODE;
        return PluginInstance.builder(new InstanceKey(nodeId, plugin, type, Optional.empty()), AT)
                .health(true, "")
                .provider("example.com")
                .vendorVersion("1")
                .capabilities(Capabilities.unknown()
                        .withServices(PluginService.CONTROLLER_SERVICE)
                        .withController(ControllerCapability.PUBLISH_UNPUBLISH_VOLUME)
                        .withNode())
                .nodeInfo(new NodeInfo(ExternalNodeId.of("i-" + number), 0, Optional.empty()));
    }

    public static NodeId node(int number) {
        return NodeId.of("node-" + number);
    }

    public static VolumeKey key(PluginId plugin, int number) {
        return VolumeKey.of("default", plugin + "-" + number);
    }

    public void volumes(PluginId plugin, int count) {
        volumes(plugin, count, this::apply);
    }

    static void volumes(PluginId plugin, int count, Consumer<Command> apply) {
        for (int from = 0; from < count; from += 1_000) {
            List<Command> commands = new ArrayList<>();
            for (int i = from; i < Math.min(count, from + 1_000); i++) {
                VolumeSpec spec = VolumeSpec.builder(plugin)
                        .requestedCapabilities(List.of(CAPABILITY))
                        .build();
                commands.add(new VolumeCommand.RegisterVolume(
                        key(plugin, i), spec, VolumeOrigin.REGISTERED, ProviderFacts.none(), AT));
            }
            apply.accept(new Batch(commands, AT));
        }
    }

    public void allocation(AllocationId id, NodeId nodeId, AllocationStatus status) {
        apply(new AllocationCommand.UpsertAllocation(id, NAMESPACE, nodeId, Optional.empty(), status, Instant.now()));
    }

    public static List<ClaimRequest> request(VolumeKey key) {
        return List.of(ClaimRequest.of(key, ClaimMode.WRITE, CAPABILITY));
    }

    /** Returns a request for a volume that the claim makes, and that stays after its release. */
    static List<ClaimRequest> madeRequest(VolumeKey key) {
        return List.of(ClaimRequest.of(key, ClaimMode.WRITE, CAPABILITY).madeFrom(VolumeTemplate.of(CLASS)));
    }

    /** Returns a request for a volume that the claim makes, and that is deleted when its allocation has ended. */
    static List<ClaimRequest> ephemeralRequest(AllocationId id) {
        return List.of(new VolumeRequest("scratch", false, CAPABILITY, MountOptions.none(), false)
                .madeFrom(VolumeTemplate.builder(CLASS).ofAllocation().build())
                .claimOf(NAMESPACE, id, 0));
    }

    @Override
    public void close() {
        lifecycle.stopLeading();
        if (ownsStore) {
            store.close();
        }
        executor.shutdownNow();
        timer.shutdownNow();
        answerThread.shutdownNow();
    }
}
