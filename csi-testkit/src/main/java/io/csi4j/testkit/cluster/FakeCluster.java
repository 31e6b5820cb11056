package io.csi4j.testkit.cluster;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AccountName;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.VolumeLifecycleBuilder;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.state.ClearTextSecretsCipher;
import io.csi4j.state.StateStore;
import io.csi4j.state.StateStoreOptions;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.FakeCsiPluginBuilder;
import io.csi4j.testkit.FakeStorage;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BiConsumer;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A cluster for tests: the real {@link VolumeLifecycle} and {@link StateStore}, and fake nodes, on which the instances of a plugin share a {@link FakeStorage}. Nodes
 * crash, lose their connection and come back; the server restarts or gives up its leadership; commands are lost or delayed.
 *
 * <p>{@link #onVirtualTime()} uses no threads: all work runs on the thread of the test, when it calls a method of this class, and every run gives the
 * same result. {@link #onRealTime()} does the same work on threads.
 *
 * <p>A scheduler under test uses {@link #lifecycle()} and {@link #state()}. It may start its workloads with {@link #startAllocation}, or claim
 * volumes itself and {@linkplain FakeNode#mount mount} the grants. On real time this class is thread-safe; on virtual time only one thread may use
 * it.
 */
public final class FakeCluster implements AutoCloseable {
    /** The namespace of the volumes and allocations that this class creates. */
    public static final Namespace NAMESPACE = Namespace.of("default");

    private static final String ZONE_KEY = "topology.csi4j.io/zone";
    private static final String DEFAULT_ZONE = "zone-1";
    private static final long CAPACITY = 1L << 50;
    private static final long VOLUME_BYTES = 1L << 30;
    private static final Duration IDLE_LIMIT_VIRTUAL = Duration.ofHours(1);
    private static final Duration LIMIT_REAL = Duration.ofSeconds(20);

    private final ClusterTime time;
    private final Map<PluginId, BiConsumer<FakeCsiPluginBuilder, String>> plugins;
    private final Map<PluginId, FakeStorage> storages = new LinkedHashMap<>();
    private final StateStore store;
    private final FakeLog log;
    private final FakeGateway gateway;
    private final Map<NodeId, FakeNode> nodes = new LinkedHashMap<>();
    private final Map<AllocationId, FakeAllocation> allocations = new LinkedHashMap<>();
    /** The groups and owners that nodes have given to the root directories of volumes. */
    private final Map<ExternalVolumeId, Root> roots = new HashMap<>();

    private final UnaryOperator<CommandLog> commands;
    private final UnaryOperator<VolumeLifecycleBuilder> settings;
    private VolumeLifecycle lifecycle;
    private Environment server;
    private int serverNumber;

    FakeCluster(
            ClusterTime time,
            Map<PluginId, BiConsumer<FakeCsiPluginBuilder, String>> plugins,
            UnaryOperator<CommandLog> commands,
            UnaryOperator<VolumeLifecycleBuilder> settings) {
        this.time = time;
        this.commands = commands;
        this.settings = settings;
        this.plugins = plugins;
        plugins.keySet().forEach(id -> storages.put(id, FakeStorage.withoutFiles(CAPACITY)));
        VirtualTime virtual = time.virtual();
        StateStoreOptions.Builder options =
                StateStoreOptions.builder().secretsCipher(ClearTextSecretsCipher.secretsStayReadable());
        if (virtual != null) {
            options.watchExecutor(virtual);
        }
        this.store = StateStore.create(options.build());
        this.log = new FakeLog(store, time);
        this.gateway = new FakeGateway(this, time);
        this.server = time.newEnvironment();
        this.lifecycle = newLifecycle(server);
        lifecycle.startLeading();
    }

    /** Returns a builder, for other plugins than one with the defaults. */
    public static FakeClusterBuilder builder() {
        return new FakeClusterBuilder();
    }

    /** Creates a cluster without nodes on virtual time. It has one server, which is the leader. */
    public static FakeCluster onVirtualTime() {
        return builder().build();
    }

    /**
     * Creates a cluster without nodes on virtual time that runs simultaneous tasks in a random order. It has one
     * server, which is the leader.
     *
     * @param seed the seed of the random order; the same seed gives the same run
     */
    public static FakeCluster onVirtualTime(long seed) {
        return builder().shuffled(seed).build();
    }

    /**
     * Creates a cluster without nodes on the time and the threads of the system. It has one server, which is the
     * leader.
     */
    public static FakeCluster onRealTime() {
        return builder().onRealTime().build();
    }

    private VolumeLifecycle newLifecycle(Environment environment) {
        return settings.apply(VolumeLifecycle.builder())
                .log(commands.apply(log))
                .gateway(gateway)
                .environment(environment)
                .callbackExecutor(environment.executor())
                .build();
    }

    ClusterTime time() {
        return time;
    }

    Instant now() {
        return time.clock().instant();
    }

    /** Returns the number of servers that have started so far; it serves as the number of the present server. */
    synchronized int serverNumber() {
        return serverNumber;
    }

    /** Returns the engine of the present server. {@link #restartServer} replaces it by a new engine. */
    public synchronized VolumeLifecycle lifecycle() {
        return lifecycle;
    }

    /** Returns the state at this moment; later changes do not appear in it. */
    public StateReader state() {
        return store.snapshot();
    }

    /** Returns the storage behind the instances of {@link #plugin()} on all nodes. */
    public FakeStorage storage() {
        return storage(plugin());
    }

    /**
     * Returns the storage behind the instances of a plugin on all nodes.
     *
     * @throws IllegalArgumentException if the cluster has no such plugin
     */
    public FakeStorage storage(PluginId pluginId) {
        FakeStorage storage = storages.get(pluginId);
        if (storage == null) {
            throw new IllegalArgumentException("the cluster has no plugin " + pluginId + "; its plugins are "
                    + storages.keySet() + ", which FakeClusterBuilder.plugin sets");
        }
        return storage;
    }

    /**
     * Returns the virtual time, so that the scheduler under test can use the same clock and timers.
     *
     * @throws IllegalStateException if this cluster runs on real time
     */
    public VirtualTime virtualTime() {
        VirtualTime virtual = time.virtual();
        if (virtual == null) {
            throw new IllegalStateException("this cluster runs on real time; use onVirtualTime()");
        }
        return virtual;
    }

    /**
     * Adds a node that is ready, with a healthy instance of each plugin.
     *
     * @throws IllegalArgumentException if the cluster has a node of that name
     */
    public FakeNode addNode(String name) {
        return addNode(name, DEFAULT_ZONE);
    }

    /**
     * Adds a node that is ready, with a healthy instance of each plugin.
     *
     * @param zone the zone of the node; a volume can be reached in the zone where it was created only
     * @throws IllegalArgumentException if the cluster has a node of that name
     */
    public FakeNode addNode(String name, String zone) {
        return addNode(name, Map.of(ZONE_KEY, zone));
    }

    /**
     * Adds a node that is ready, with a healthy instance of each plugin.
     *
     * @param topology the topology of the node, for plugins that have none of their own
     * @throws IllegalArgumentException if the cluster has a node of that name
     */
    public FakeNode addNode(String name, Map<String, String> topology) {
        NodeId id = NodeId.of(name);
        FakeNode node;
        synchronized (this) {
            if (nodes.containsKey(id)) {
                throw new IllegalArgumentException("the cluster has a node " + name + " already; use node(name)");
            }
            node = new FakeNode(this, id, instances(id, topology));
            nodes.put(id, node);
        }
        node.comeBack();
        return node;
    }

    private Map<PluginId, NodePlugin> instances(NodeId node, Map<String, String> topology) {
        Map<PluginId, NodePlugin> instances = new LinkedHashMap<>();
        plugins.forEach((plugin, settings) -> {
            FakeCsiPluginBuilder builder = FakeCsiPlugin.builder()
                    .nodeId(node.value())
                    .defaultTopology(topology)
                    .storage(storage(plugin));
            settings.accept(builder, node.value());
            instances.put(plugin, new NodePlugin(node, plugin, builder.build(), time.nodes()));
        });
        return instances;
    }

    /**
     * Returns a node.
     *
     * @throws IllegalArgumentException if there is none of that name
     */
    public FakeNode node(String name) {
        FakeNode node = findNode(NodeId.of(name));
        if (node == null) {
            throw new IllegalArgumentException("the cluster has no node " + name + "; add it with addNode");
        }
        return node;
    }

    synchronized @Nullable FakeNode findNode(NodeId id) {
        return nodes.get(id);
    }

    /** Creates a volume in {@link #NAMESPACE} for mounts in one access mode, and waits until it is available. */
    public VolumeKey createVolume(String name, VolumeAccessMode mode) {
        return createVolume(
                VolumeKey.of(NAMESPACE.value(), name),
                VolumeSpec.builder(plugin())
                        .requestedCapabilities(List.of(RequestedCapability.mount(mode)))
                        .capacityRange(CapacityRange.atLeast(VOLUME_BYTES))
                        .fencingPolicy(FencingPolicy.onFence())
                        .build());
    }

    /**
     * Creates a volume, and waits until it is available.
     *
     * @param spec a specification for a plugin of this cluster
     */
    public VolumeKey createVolume(VolumeKey key, VolumeSpec spec) {
        await(lifecycle().volumes().create(key, spec));
        return key;
    }

    /** Returns the id of the first plugin, for specifications of volumes; without settings, it is the only one. */
    public PluginId plugin() {
        return storages.keySet().iterator().next();
    }

    /**
     * Starts an allocation that claims volumes for writing. It claims each volume with the first capability in the
     * volume's specification; volumes of {@link #createVolume(String, VolumeAccessMode)} have only one.
     */
    public FakeAllocation startAllocation(String name, String nodeName, VolumeKey... volumes) {
        return startAllocation(
                name, nodeName, Stream.of(volumes).map(this::writing).toArray(ClaimRequest[]::new));
    }

    /**
     * Gives the files of a volume to a group.
     *
     * @return false if the root directory has the group and the owner already, so that nothing is changed
     */
    synchronized boolean giveFiles(ExternalVolumeId volume, long group, OwnershipOptions options) {
        Root before = roots.getOrDefault(volume, new Root(0, OptionalLong.empty()));
        Root after = new Root(group, options.rootOwner().isPresent() ? options.rootOwner() : before.owner());
        roots.put(volume, after);
        return options.policy() == GroupChangePolicy.ALWAYS || !after.equals(before);
    }

    /** The root directory of a volume: its group, 0 until a node gives it one, and its owner if a node gave it one. */
    private record Root(long group, OptionalLong owner) {}

    private ClaimRequest writing(VolumeKey key) {
        Volume volume = state().volume(key)
                .orElseThrow(() -> new IllegalArgumentException("there is no volume " + key + "; create it first"));
        return ClaimRequest.writing(key, volume.spec().requestedCapabilities().get(0));
    }

    /**
     * Starts an allocation in {@link #NAMESPACE}: it is reported to the servers, and it claims and mounts its volumes.
     *
     * @param name the id of the allocation
     * @param nodeName a node that answers
     */
    public FakeAllocation startAllocation(String name, String nodeName, ClaimRequest... claims) {
        return start(name, nodeName, Optional.empty(), claims);
    }

    /**
     * Starts an allocation as {@link #startAllocation(String, String, ClaimRequest...)}, which runs as an account.
     *
     * @param account the account that plugins with {@linkplain io.csi4j.core.plugin.PluginProfile#workloadInfo() workload
     *     info} are given
     */
    public FakeAllocation startAllocation(String name, String nodeName, AccountName account, ClaimRequest... claims) {
        return start(name, nodeName, Optional.of(account), claims);
    }

    private FakeAllocation start(String name, String nodeName, Optional<AccountName> account, ClaimRequest... claims) {
        FakeNode node = node(nodeName);
        FakeAllocation allocation = new FakeAllocation(this, AllocationId.of(name), node, List.of(claims));
        synchronized (this) {
            allocations.put(allocation.id(), allocation);
        }
        report(status(allocation, AllocationStatus.RUNNING, account));
        if (claims.length > 0) {
            allocation.claim();
        }
        return allocation;
    }

    private AllocationCommand status(
            FakeAllocation allocation, AllocationStatus status, Optional<AccountName> account) {
        return new AllocationCommand.UpsertAllocation(
                allocation.id(), NAMESPACE, allocation.node().id(), Optional.empty(), status, account, now());
    }

    void reportEnd(FakeAllocation allocation) {
        report(status(allocation, AllocationStatus.ENDED, Optional.empty()));
    }

    /** Reports the ended allocations of a node that answers again; after a loss of power, these are all its allocations. */
    void reportEnded(FakeNode node) {
        allocationsOn(node).forEach(FakeAllocation::reportEnd);
    }

    void nodeLostPower(FakeNode node) {
        allocationsOn(node).forEach(FakeAllocation::killed);
    }

    private synchronized List<FakeAllocation> allocationsOn(FakeNode node) {
        return allocations.values().stream()
                .filter(allocation -> allocation.node().equals(node))
                .toList();
    }

    /** Submits a report of the cluster to the command log. The faults of this class, which lose or delay commands, do not apply to reports. */
    void report(Command command) {
        Outcome outcome = store.apply(command);
        if (!outcome.accepted()) {
            throw new IllegalStateException("the state rejects the report " + command + ": " + outcome);
        }
    }

    /**
     * Lets the server crash and start again as the leader. The state stays; tasks, timers and waiting claims of the
     * former process are gone.
     */
    public void restartServer() {
        if (time.virtual() == null) {
            // Real threads cannot be killed one by one, so the engine is closed in the normal way instead. It uses its
            // threads until then.
            lifecycle().close();
        }
        synchronized (this) {
            server.close();
            server = time.newEnvironment();
            lifecycle = newLifecycle(server);
            serverNumber++;
        }
        lead();
    }

    /** Makes the server give up its leadership: it performs no work, and waiting claims fail. */
    public void stepDown() {
        lifecycle().stopLeading();
    }

    /** Makes the server lead again; the allocations that still wait for volumes repeat their claims. */
    public void lead() {
        lifecycle().startLeading();
        List<FakeAllocation> all;
        synchronized (this) {
            all = List.copyOf(allocations.values());
        }
        all.stream().filter(FakeAllocation::isWaiting).forEach(FakeAllocation::claim);
    }

    /** Loses the next command that the engine submits: it is not applied, and the submission fails. */
    public void loseNextCommand() {
        log.addFault(FakeLog.Fault.LOSE_COMMAND);
    }

    /**
     * Loses the answer to the next command that the engine submits: the command is applied, but the submission fails, so the engine cannot know that
     * it was applied.
     */
    public void loseNextAnswer() {
        log.addFault(FakeLog.Fault.LOSE_ANSWER);
    }

    /**
     * Delays all commands that the engine submits from now on.
     *
     * @param delay the time until a command is applied; zero ends the delay
     * @throws IllegalArgumentException if the delay is negative
     */
    public void delayCommands(Duration delay) {
        if (delay.isNegative()) {
            throw new IllegalArgumentException("delay is " + delay + "; give zero or more");
        }
        log.delay(delay);
    }

    /**
     * Lets time pass. On virtual time, runs all tasks that become due in this time; on real time, the calling thread
     * waits.
     *
     * @throws IllegalArgumentException if the duration is negative
     */
    public void advance(Duration duration) {
        VirtualTime virtual = time.virtual();
        if (virtual != null) {
            virtual.advance(duration);
        } else {
            Instant end = now().plus(duration);
            boolean unused = time.waitUntil(() -> !now().isBefore(end), duration.plus(LIMIT_REAL));
        }
    }

    /**
     * Runs until nothing remains to do: no volume has remaining work, and each allocation has mounted its volumes, waits for a volume of another
     * allocation, for its node or for a leader, or was rejected. Virtual time advances while retries are due, also those of claims and mounts that failed. Ends after
     * a virtual hour, or 20 seconds of real time.
     *
     * @return true if nothing remains to do; false if work remained at the end, for example for a node that is down, or a mount that fails each time
     */
    public boolean runUntilIdle() {
        return runUntil(() -> !state().unsettledVolumes().iterator().hasNext() && noneCanProceed());
    }

    /**
     * Returns true if no waiting allocation can continue by itself: its node does not answer, the state has rejected its
     * claim, another allocation has a claim on one of its volumes, or the server does not lead.
     */
    private synchronized boolean noneCanProceed() {
        return allocations.values().stream()
                .filter(FakeAllocation::isWaiting)
                .filter(allocation -> allocation.node().answers())
                .allMatch(this::isBlocked);
    }

    private boolean isBlocked(FakeAllocation allocation) {
        boolean refused = allocation
                .failure()
                .filter(failure -> failure instanceof RejectedException || failure instanceof NotLeadingException)
                .isPresent();
        return refused || allocation.waitsForOthers(state());
    }

    /**
     * Runs until a condition holds. Virtual time advances second by second, for at most an hour; on real time the thread waits for at
     * most 20 seconds.
     *
     * @return whether the condition holds
     */
    public boolean runUntil(BooleanSupplier condition) {
        return time.waitUntil(condition, time.virtual() == null ? LIMIT_REAL : IDLE_LIMIT_VIRTUAL);
    }

    /**
     * Runs until a future is done, as {@link #runUntil} does.
     *
     * @return the result
     * @throws IllegalStateException if the future is not done in time
     * @throws CompletionException if the future fails
     */
    public <R> R await(CompletableFuture<R> future) {
        if (!runUntil(future::isDone)) {
            throw new IllegalStateException("the future is not done: " + future);
        }
        return future.join();
    }

    /** Returns true if {@link #leaks()} is empty: every attachment and mount belongs to a claim. */
    public boolean hasNoLeaks() {
        return leaks().isEmpty();
    }

    /**
     * Returns what should have been removed: attachments, stagings and publications of volumes without a claim, volumes of the storage that the state
     * does not have, and volumes with remaining work.
     *
     * @return a sentence for each finding; empty if there is none
     */
    public List<String> leaks() {
        return ClusterLeaks.of(state(), storages.keySet(), this::instance);
    }

    /** Returns an instance of the plugin; all see the same storage. */
    private synchronized Optional<FakeCsiPlugin> instance(PluginId plugin) {
        return nodes.values().stream().findFirst().map(node -> node.plugin(plugin));
    }

    /** Ends the server, the nodes and the store. */
    @Override
    public void close() {
        lifecycle().close();
        List<FakeNode> all;
        synchronized (this) {
            server.close();
            all = List.copyOf(nodes.values());
        }
        all.forEach(FakeNode::close);
        store.close();
        time.close();
    }
}
