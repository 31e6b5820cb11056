package io.csi4j.agent;

import io.csi4j.agent.internal.node.NodeRuntime;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NodeCommand;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.command.PluginCommand.FingerprintNode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.PluginReport;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.MountedVolume;
import io.csi4j.node.Teardown;
import io.csi4j.node.VolumeMounter;
import io.csi4j.node.WorkloadClaims;
import io.csi4j.node.WorkloadStatus;
import io.csi4j.node.WorkloadVolumes;
import io.csi4j.registry.Fingerprinter;
import io.csi4j.registry.PluginRegistry;
import io.csi4j.registry.PluginTask;
import io.csi4j.registry.Registered;
import io.csi4j.registry.TaskSetup;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Server and node in one process: the engine, and the plugins and volumes of one machine, without a network between them.
 * The engine leads from the start, reaches the plugins of this node only, and knows what they report. Safe for use by many
 * threads. One process may use a directory at a time.
 *
 * <p>The host reports its allocations to {@link VolumeLifecycle#cluster()}; the node adds itself, and its plugins. When an
 * allocation has ended, the engine unmounts and detaches its volumes. A host that has stopped a workload may call {@link
 * #teardown} before it reports the end, to learn which volumes are unmounted.
 */
public final class LocalNode implements AutoCloseable {
    private static final Duration PLUGIN_START_LIMIT = Duration.ofMinutes(1);

    private final NodeId nodeId;
    private final NodeRuntime node;
    private final VolumeLifecycle lifecycle;
    private final WorkloadVolumes workloads;
    private final Fingerprinter fingerprinter;
    private final Runnable closeEnvironment;
    private final AtomicBoolean closing = new AtomicBoolean();
    private final CompletableFuture<@Nullable Void> closed = new CompletableFuture<>();

    private LocalNode(
            LocalNodeBuilder settings,
            NodeRuntime node,
            VolumeLifecycle lifecycle,
            Timer timer,
            Runnable closeEnvironment) {
        this.nodeId = settings.nodeId;
        this.node = node;
        this.lifecycle = lifecycle;
        this.workloads = new WorkloadVolumes(node.volumes(), WorkloadClaims.of(lifecycle), timer);
        CommandLog log = lifecycle.log();
        this.fingerprinter =
                Fingerprinter.start(node.registry(), report -> send(log, report), settings.fingerprintInterval);
        this.closeEnvironment = closeEnvironment;
    }

    static LocalNode start(
            LocalNodeBuilder settings,
            NodeRuntime node,
            VolumeLifecycle lifecycle,
            Timer timer,
            Runnable closeEnvironment) {
        LocalNode local = new LocalNode(settings, node, lifecycle, timer, closeEnvironment);
        try {
            lifecycle.startLeading();
        } catch (RuntimeException refused) {
            local.fingerprinter.close();
            throw refused;
        }
        return local;
    }

    /** The node adds itself first: the state takes plugins of known nodes only. */
    private static CompletableFuture<?> send(CommandLog log, FingerprintNode report) {
        return log.submit(new NodeCommand.UpsertNode(report.nodeId(), report.at()))
                .thenCompose(added -> log.submit(report))
                .thenAccept(outcome -> {
                    if (outcome instanceof Outcome.Rejected rejected) {
                        throw new RejectedException(rejected.reason());
                    }
                });
    }

    /**
     * A node with defaults.
     *
     * @param log the only way state is changed; the host closes it after the node
     * @param nodeId the node
     * @param directory where all files are; see {@link #builder}
     * @return a node at work; the host closes it
     * @throws java.io.IOException if the directory cannot be used; other errors as {@link LocalNodeBuilder#start}
     */
    public static LocalNode start(CommandLog log, NodeId nodeId, Path directory) throws java.io.IOException {
        return builder(log, nodeId, directory).start();
    }

    /**
     * A builder.
     *
     * @param log the only way state is changed; the host closes it after the node
     * @param nodeId the node
     * @param directory where all files are: sockets, ledger, stagings and targets. Made if missing; absolute, and at
     *     most 73 bytes long, because the addresses of sockets have little room. The same after a restart
     * @return a new builder
     */
    public static LocalNodeBuilder builder(CommandLog log, NodeId nodeId, Path directory) {
        Objects.requireNonNull(log, "log");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(directory, "directory");
        return new LocalNodeBuilder(log, nodeId, directory);
    }

    /**
     * The node.
     *
     * @return its id
     */
    public NodeId nodeId() {
        return nodeId;
    }

    /**
     * The engine, on behalf of the host.
     *
     * @return the engine; the node closes it
     */
    public VolumeLifecycle lifecycle() {
        return lifecycle;
    }

    /**
     * The plugins of the node.
     *
     * @return the registry; the node closes it
     */
    public PluginRegistry plugins() {
        return node.registry();
    }

    /**
     * The volumes of the node.
     *
     * @return the mounter; the node starts and stops it
     */
    public VolumeMounter volumes() {
        return node.volumes();
    }

    /**
     * Makes the directories of a plugin's task. To be called before each start; see {@link NodeAgent#preparePlugin}.
     *
     * @param task the task
     * @return what the host has to do before it starts the task
     * @throws io.csi4j.registry.PluginStoreException if a directory or record cannot be made
     * @throws IllegalArgumentException if the path of the socket in the task is too long
     */
    public TaskSetup preparePlugin(PluginTask task) {
        Objects.requireNonNull(task, "task");
        return node.tasks().prepare(task);
    }

    /**
     * Registers and watches a plugin's task that was started, or that still runs after a restart of this process.
     *
     * @param task the task
     * @return when the registration is stored
     * @throws IllegalStateException if the node is closed
     */
    public CompletableFuture<Registered> pluginStarted(PluginTask task) {
        Objects.requireNonNull(task, "task");
        return node.tasks().started(task);
    }

    /**
     * Makes the directories of a plugin that runs in the file system of this host and serves as controller and node.
     *
     * @param pluginId the plugin
     * @return what the host has to do before it starts the plugin
     * @throws io.csi4j.registry.PluginStoreException if a directory or record cannot be made
     * @throws IllegalArgumentException if the path of the plugin's socket is too long
     */
    public TaskSetup preparePlugin(PluginId pluginId) {
        return preparePlugin(onHost(pluginId));
    }

    /**
     * Registers and watches the plugin of {@link #preparePlugin(PluginId)}, which was started, and waits until its volumes
     * can be claimed.
     *
     * @param pluginId the plugin
     * @return the plugin; fails with an {@link io.csi4j.core.lifecycle.UnfinishedException} that says what is missing
     *     after a minute, while the registry continues to look for the plugin
     * @throws IllegalStateException if the node is closed
     */
    public CompletableFuture<PluginReport> pluginStarted(PluginId pluginId) {
        return pluginStarted(onHost(pluginId))
                .thenCompose(registered -> lifecycle.operator().waitForPlugin(pluginId, PLUGIN_START_LIMIT));
    }

    private PluginTask onHost(PluginId pluginId) {
        Objects.requireNonNull(pluginId, "pluginId");
        return PluginTask.onHost(new InstanceKey(nodeId, pluginId, PluginType.MONOLITH, Optional.empty()));
    }

    /**
     * Asks before a plugin's task is stopped permanently, while it still runs; see {@link NodeAgent#pluginStopping}.
     *
     * @param key which instance
     * @throws io.csi4j.registry.PluginInUseException if volumes need it, no other instance of the plugin is ready, and
     *     {@link #builder} says to refuse
     */
    public void pluginStopping(InstanceKey key) {
        Objects.requireNonNull(key, "key");
        node.tasks().stopping(key);
    }

    /**
     * Forgets a plugin's task that has ended permanently.
     *
     * @param key which instance
     * @return whether it was registered, when that is done
     */
    public CompletableFuture<Boolean> pluginStopped(InstanceKey key) {
        Objects.requireNonNull(key, "key");
        return node.tasks().stopped(key);
    }

    /**
     * Claims all volumes of a workload, waits for them, and mounts them; see {@link WorkloadVolumes#prepare}.
     *
     * @param allocationId the workload, which the state knows as placed on this node
     * @param requests what it needs: at least one volume, none twice
     * @return where each volume is, in the order of the requests. Cancelling it ends the waiting, and undoes what was
     *     begun
     * @throws IllegalArgumentException if no volume is named, or one twice
     */
    public CompletableFuture<List<MountedVolume>> prepare(AllocationId allocationId, List<ClaimRequest> requests) {
        return workloads.prepare(allocationId, requests);
    }

    /**
     * Unmounts all volumes of a workload that has ended; see {@link WorkloadVolumes#teardown}. It ends no claim: report
     * the end with {@link io.csi4j.core.lifecycle.Cluster#allocationEnded}, before or after.
     *
     * @param allocationId the workload; nothing of it may run any more
     * @param limit how long to wait
     * @return which volumes are unmounted when the limit is over, and which are not; work on those continues
     */
    public CompletableFuture<Teardown> teardown(AllocationId allocationId, Duration limit) {
        return workloads.teardown(allocationId, limit);
    }

    /**
     * How far the volumes of a workload are.
     *
     * @param allocationId the workload
     * @return empty if it was not prepared here since the start of this process, or has been torn down
     */
    public Optional<WorkloadStatus> status(AllocationId allocationId) {
        return workloads.status(allocationId);
    }

    /**
     * Ends engine and node, and leaves plugins and mounts as they are. Does not wait, see {@link #closed}.
     * Does nothing the second time.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        fingerprinter.close();
        lifecycle.close();
        var unused = node.close().whenComplete((nothing, failure) -> {
            closeEnvironment.run();
            Futures.complete(closed, null, failure);
        });
    }

    /**
     * When it has ended: nothing is written any more, and another process can use the directory.
     *
     * @return completes some time after {@link #close()}; exceptionally if the ledger could not be closed
     */
    public CompletableFuture<@Nullable Void> closed() {
        return closed.copy();
    }

    @Override
    public String toString() {
        return "LocalNode[" + nodeId + "]";
    }
}
