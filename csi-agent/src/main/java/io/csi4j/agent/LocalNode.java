package io.csi4j.agent;

import io.csi4j.agent.internal.node.NodeRuntime;
import io.csi4j.client.Endpoint;
import io.csi4j.client.registry.Fingerprinter;
import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.client.registry.PluginTask;
import io.csi4j.client.registry.Registered;
import io.csi4j.client.registry.TaskSetup;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.internal.command.PluginCommand.FingerprintNode;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.PluginReport;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.NodeFingerprint;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.MountClaims;
import io.csi4j.node.MountedVolume;
import io.csi4j.node.Teardown;
import io.csi4j.node.VolumeMounter;
import io.csi4j.node.WorkloadStatus;
import io.csi4j.node.WorkloadVolumes;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A server and its only node in one process: the engine, the plugins and the volumes of one machine, without a network
 * between them. The engine leads from the start and calls only the plugins of this node. Thread-safe. Two running
 * processes must not use the same directory.
 *
 * <p>The host reports its allocations to {@link VolumeLifecycle#cluster()}; the node registers itself and its plugins. When an allocation has ended, the
 * engine unmounts and detaches its volumes. A host that has stopped a workload may call {@link #teardown} before it reports the end, to learn which
 * volumes are unmounted.
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
        this.workloads = new WorkloadVolumes(node.volumes(), MountClaims.of(lifecycle), timer);
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

    /** Submits the node before its plugins, because the state accepts plugins of known nodes only. */
    private static CompletableFuture<?> send(CommandLog log, NodeFingerprint report) {
        return log.submit(new NodeCommand.UpsertNode(report.nodeId(), report.at()))
                .thenCompose(added -> log.submit(new FingerprintNode(report)))
                .thenAccept(outcome -> {
                    if (outcome instanceof Outcome.Rejected rejected) {
                        throw new RejectedException(rejected.reason());
                    }
                });
    }

    /**
     * Starts a node with defaults.
     *
     * @param log the command log, through which all changes of the state are made; the host closes it after the node
     * @param nodeId the node
     * @param directory the directory of the node's files and sockets; {@link #builder} describes its limits
     * @return a running node; the host closes it
     * @throws java.io.IOException if the directory cannot be used; this method also throws the other exceptions of
     *     {@link LocalNodeBuilder#start}
     */
    public static LocalNode start(CommandLog log, NodeId nodeId, Path directory) throws java.io.IOException {
        return builder(log, nodeId, directory).start();
    }

    /**
     * Returns a builder.
     *
     * @param log the command log, through which all changes of the state are made; the host closes it after the node
     * @param nodeId the node
     * @param directory the directory of sockets, ledger, stagings and targets, created if missing; absolute, and at most 73 bytes long,
     *     because the addresses of sockets are limited. Pass the same directory after a restart
     */
    public static LocalNodeBuilder builder(CommandLog log, NodeId nodeId, Path directory) {
        Objects.requireNonNull(log, "log");
        Objects.requireNonNull(nodeId, "nodeId");
        Objects.requireNonNull(directory, "directory");
        return new LocalNodeBuilder(log, nodeId, directory);
    }

    public NodeId nodeId() {
        return nodeId;
    }

    /** Returns the engine with the permissions of the host; the node closes it. */
    public VolumeLifecycle lifecycle() {
        return lifecycle;
    }

    /** Returns the registry of the node's plugins; the node closes it. */
    public PluginRegistry plugins() {
        return node.registry();
    }

    /** Returns the mounter of the node's volumes; the node starts and stops it. */
    public VolumeMounter volumes() {
        return node.volumes();
    }

    /**
     * Creates the directories of a plugin's task. Call it before each start; see {@link NodeAgent#preparePlugin}.
     *
     * @return the steps for the host before it starts the task
     * @throws io.csi4j.client.registry.PluginStoreException if a directory or record cannot be created
     * @throws IllegalArgumentException if the path of the socket inside the task is too long
     */
    public TaskSetup preparePlugin(PluginTask task) {
        Objects.requireNonNull(task, "task");
        return node.taskDirectories().prepare(task);
    }

    /**
     * Registers and supervises a plugin's task that was started, or that still runs after a restart of this process.
     *
     * @return completes when the registration is stored
     * @throws IllegalStateException if the node is closed
     */
    public CompletableFuture<Registered> pluginStarted(PluginTask task) {
        Objects.requireNonNull(task, "task");
        return node.supervisor().taskStarted(task);
    }

    /**
     * Creates the directories of a plugin that runs in the file system of this host, and has both the controller
     * service and the node service.
     *
     * @return the steps for the host before it starts the plugin
     * @throws io.csi4j.client.registry.PluginStoreException if a directory or record cannot be created
     * @throws IllegalArgumentException if the path of the plugin's socket is too long
     */
    public TaskSetup preparePlugin(PluginId pluginId) {
        return preparePlugin(onHost(pluginId));
    }

    /**
     * Registers and supervises the started plugin of {@link #preparePlugin(PluginId)}, and waits until its volumes can be claimed.
     *
     * @return the plugin. If its volumes cannot be claimed after a minute, the future fails with an {@link
     *     io.csi4j.core.lifecycle.UnfinishedException} that names the missing part; the registry then
     *     continues to connect
     * @throws IllegalStateException if the node is closed
     */
    public CompletableFuture<PluginReport> pluginStarted(PluginId pluginId) {
        return pluginStarted(onHost(pluginId))
                .thenCompose(registered -> lifecycle.operator().waitForPlugin(pluginId, PLUGIN_START_LIMIT));
    }

    /**
     * Registers a running plugin whose controller service and node service share an endpoint, and waits until its
     * volumes can be claimed. The host starts and stops the plugin; nothing supervises it. A test, for example, may
     * register a fake plugin in its own process.
     *
     * @param endpoint a Unix socket, or a plugin in this process
     * @return the plugin; fails as {@link #pluginStarted(PluginId)}
     * @throws IllegalArgumentException if the endpoint is TCP, a relative path, or that of another plugin
     * @throws IllegalStateException if the node is closed
     */
    public CompletableFuture<PluginReport> pluginStarted(PluginId pluginId, Endpoint endpoint) {
        InstanceKey key = onHost(pluginId).key();
        return node.registry()
                .register(PluginRegistration.of(key, endpoint))
                .thenCompose(registered -> lifecycle.operator().waitForPlugin(pluginId, PLUGIN_START_LIMIT));
    }

    private PluginTask onHost(PluginId pluginId) {
        Objects.requireNonNull(pluginId, "pluginId");
        return PluginTask.onHost(new InstanceKey(nodeId, pluginId, PluginType.MONOLITH, Optional.empty()));
    }

    /**
     * Checks whether a running plugin task may be stopped permanently; see {@link NodeAgent#pluginStopping}.
     *
     * @throws io.csi4j.client.registry.PluginInUseException if volumes need it, no other instance of the plugin is ready, and the stop policy of the
     *     {@link #builder} is to refuse
     */
    public void pluginStopping(InstanceKey key) {
        Objects.requireNonNull(key, "key");
        node.supervisor().taskStopping(key);
    }

    /**
     * Removes a plugin's task that has ended permanently.
     *
     * @return whether the task was registered; completes when the removal is done
     */
    public CompletableFuture<Boolean> pluginStopped(InstanceKey key) {
        Objects.requireNonNull(key, "key");
        return node.supervisor().taskStopped(key);
    }

    /**
     * Claims all volumes of a workload, waits for them, and mounts them; see {@link WorkloadVolumes#prepare}.
     *
     * @param allocationId the workload, which the host has reported to the state as placed on this node
     * @param requests at least one, and one for each mount
     * @return the mounted volumes, one for each request and in the order of the requests. Cancelling the future ends the waiting and undoes the mounts
     * @throws IllegalArgumentException if there is no request
     */
    public CompletableFuture<List<MountedVolume>> prepare(AllocationId allocationId, List<ClaimRequest> requests) {
        return workloads.prepare(allocationId, requests);
    }

    /**
     * Unmounts all volumes of an ended workload; see {@link WorkloadVolumes#teardown}. This method does not release claims: report the end
     * of the allocation with {@link io.csi4j.core.lifecycle.Cluster#allocationEnded}, before or after this call.
     *
     * @param allocationId the workload; its processes must have stopped
     * @param limit the longest time to wait
     * @return which volumes are unmounted, and which were not unmounted within the limit; the work on the latter continues
     */
    public CompletableFuture<Teardown> teardown(AllocationId allocationId, Duration limit) {
        return workloads.teardown(allocationId, limit);
    }

    /**
     * Returns the progress of a workload's volumes; empty if they were not prepared since this process started, or were unmounted again.
     */
    public Optional<WorkloadStatus> status(AllocationId allocationId) {
        return workloads.status(allocationId);
    }

    /**
     * Closes the engine and the node; plugins and mounts remain as they are. Does not wait, see {@link #closed}. Further calls have no
     * effect.
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
     * Returns a future that completes after {@link #close()}, as soon as another process can use the directory; exceptionally if the ledger
     * could not be closed.
     */
    public CompletableFuture<@Nullable Void> closed() {
        return closed.copy();
    }

    @Override
    public String toString() {
        return "LocalNode[" + nodeId + "]";
    }
}
