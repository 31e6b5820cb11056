package io.csi4j.node;

import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.VolumeHealthReport;
import io.csi4j.core.rpc.NodeGetStorageHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeHealthResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.NodeDetach;
import io.csi4j.core.spi.NodeExpand;
import io.csi4j.core.spi.NodeExpansion;
import io.csi4j.core.spi.NodeVolumeQuery;
import io.csi4j.core.spi.StorageHealthQuery;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.node.internal.ledger.UnmountOrder;
import io.csi4j.node.internal.mount.MountInspector;
import io.csi4j.node.internal.mount.NodePaths;
import io.csi4j.node.internal.worker.LedgerReports;
import io.csi4j.node.internal.worker.NodeCheck;
import io.csi4j.node.internal.worker.NodePorts;
import io.csi4j.node.internal.worker.NodeQueries;
import io.csi4j.node.internal.worker.NodeStart;
import io.csi4j.node.internal.worker.NodeVolumeWorker;
import io.csi4j.node.internal.worker.NodeVolumeWorkers;
import io.csi4j.node.internal.worker.RunningAllocations;
import io.csi4j.node.internal.worker.Shutdown;
import io.csi4j.node.internal.worker.ThisMachine;
import io.csi4j.node.internal.worker.WorkerViews;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The volumes of one node: mounts them for allocations, unmounts them, and resumes after a crash or a reboot. A ledger below the base
 * directory records the requested uses and their progress. The intent to make or remove a recorded mount is in the ledger before the call to
 * the plugin. The result is stored after the call, often together with the intent to make the next call. Queries are not recorded.
 *
 * <p>A volume has at most one call in flight (R26); different volumes are processed concurrently. No method blocks. Thread-safe. One
 * process may use a base directory at a time. Futures complete on the executor, outside of the serial work of the volume. A callback may
 * therefore block, and may wait for other futures of this class, as long as the executor has a free thread.
 */
public final class NodeVolumes implements VolumeMounter {
    private final NodePorts ports;
    private final NodeQueries queries;
    private final ThisMachine machine;
    private final NodeVolumeWorkers workers;
    private final NodeCheck check;
    private final WorkerViews views;
    private final NodeStart start;
    private final Shutdown end;
    private final RunningAllocations running;

    /**
     * Creates an object that does nothing until {@link #start} is called.
     *
     * @param runs returns whether an allocation of the ledger still runs
     * @param release called after {@link #stop} has ended all work
     */
    NodeVolumes(NodePorts ports, Duration checkPeriod, Predicate<AllocationId> runs, Runnable release) {
        this.ports = ports;
        this.running = new RunningAllocations(runs, ports);
        MountInspector inspector =
                new MountInspector(ports.paths(), ports.plugins(), ports.table(), ports.timer(), ports.host());
        this.queries = new NodeQueries(ports);
        this.machine = new ThisMachine(ports.plugins(), ports.machineIds());
        this.workers = new NodeVolumeWorkers(ports, inspector);
        this.check = new NodeCheck(ports, inspector, workers, running);
        this.views = new WorkerViews(workers, ports, check);
        this.end = new Shutdown(ports, workers, check, release);
        this.start = new NodeStart(ports, inspector, workers, check, running, end, checkPeriod);
    }

    /**
     * Returns a builder with the required parts.
     *
     * @param baseDirectory the directory for the ledger, the stagings and the targets, created if missing; a restarted
     *     host must give the same one
     * @param plugins finds the plugins of this node
     */
    public static NodeVolumesBuilder builder(Path baseDirectory, NodePlugins plugins) {
        Objects.requireNonNull(baseDirectory, "baseDirectory");
        Objects.requireNonNull(plugins, "plugins");
        return new NodeVolumesBuilder(baseDirectory, plugins);
    }

    /**
     * Returns the directories in which plugins stage and publish volumes. A plugin with its own file system needs mounts of them.
     *
     * @param baseDirectory the directory that was passed to {@link #builder}
     */
    public static List<Path> pluginDirectories(Path baseDirectory) {
        Objects.requireNonNull(baseDirectory, "baseDirectory");
        NodePaths paths = new NodePaths(baseDirectory);
        return List.of(paths.stagingRoot(), paths.publishRoot());
    }

    /**
     * Reads the ledger, compares it with the mount table, and resumes the work on every recorded volume: missing mounts of live allocations are mounted
     * again, pending unmounts are continued. Call it once, before all other methods. Recorded allocations that no longer run are unmounted if {@link
     * NodeVolumesBuilder#stillRuns} says so; otherwise the host has to unmount them, see {@link #volumes()}.
     *
     * @return completes when the ledger has been read; the mounts and unmounts continue afterwards. Fails with LEDGER if it cannot be read
     */
    @Override
    public CompletableFuture<@Nullable Void> start() {
        start.start();
        return workers.ready().copy();
    }

    /**
     * Mounts a volume for an allocation: NodeStageVolume if the plugin stages and the volume is not staged yet, then NodePublishVolume. An
     * allocation may mount a volume several times: each {@link NodeMount#number()} has its own target, and all have one staging. A repeated
     * request completes with the same path. Failed steps are retried until {@link NodeVolumeOptions#mountLimit()}; a mount that fails is undone.
     *
     * @param request the volume, the allocation and the options
     * @return the mounted volume. Cancelling the future withdraws the request and undoes its steps; if the use was recorded before this
     *     request, cancelling only ends the waiting. Fails with a {@link NodeVolumeException}, or with the {@link
     *     io.csi4j.core.call.CsiCallException} of a plugin that refuses permanently
     * @throws IllegalStateException if {@link #start} was not called
     */
    @Override
    public CompletableFuture<MountedVolume> mount(NodeMount request) {
        Objects.requireNonNull(request, "request");
        running.mounted(request.allocationId());
        return workers.withWorker(request.volume(), worker -> worker.mount(request));
    }

    /**
     * Unmounts a volume from an allocation: NodeUnpublishVolume at each of its targets, then NodeUnstageVolume if no other allocation uses the volume here. Also
     * succeeds if the allocation has no mount, or if the volume was unmounted before.
     *
     * @param request the volume and the allocation
     * @return completes when nothing is mounted for the allocation. Fails with UNFINISHED after {@link
     *     NodeVolumeOptions#unmountLimit()}; the work then continues, and a repeated request waits for it. Cancelling the future
     *     ends the waiting only
     * @throws IllegalStateException if {@link #start} was not called
     */
    @Override
    public CompletableFuture<@Nullable Void> unmount(NodeUnmount request) {
        Objects.requireNonNull(request, "request");
        return workers.withWorker(request.id().volume(), worker -> worker.unmount(request));
    }

    /**
     * Carries out an operator's order to unmount a target without the plugin. The target is unmounted only if the plugin answers that it
     * has no such mount: it answers NodeUnpublishVolume with OK or NOT_FOUND, but the mount table still has the target. This happens if a
     * plugin is killed after it has mounted the target and before it has recorded the mount. Only the publish target of the allocation
     * below the base directory is unmounted, never the staging path. The plugin is called first; data that it has not written to the volume
     * yet may be lost.
     *
     * <p>The operator, the reason and the time are stored in the ledger before anything is unmounted, and removed with the use. The order
     * remains valid after a restart; a new mount for the allocation cancels it.
     *
     * @param request the volume and the allocation; {@link #unmount} has to be called before with the same request
     * @param operator the name of the operator; at most 200 characters, shown in events
     * @param reason the reason; at most 1000 characters, shown in events
     * @return as {@link #unmount}. Fails with CONFLICT if the allocation is not being unmounted and may have a mount; with LEDGER if the
     *     order cannot be written, in which case it has no effect
     * @throws IllegalArgumentException if operator or reason is blank, too long, or not valid Unicode
     * @throws IllegalStateException if {@link #start} was not called
     */
    @Override
    public CompletableFuture<@Nullable Void> unmountDirectly(NodeUnmount request, String operator, String reason) {
        Objects.requireNonNull(request, "request");
        Objects.requireNonNull(operator, "operator");
        Objects.requireNonNull(reason, "reason");
        UnmountOrder order = UnmountOrder.checked(
                "unmountDirectly", operator, reason, ports.clock().millis());
        return workers.withWorker(request.id().volume(), worker -> worker.unmountDirectly(request, order));
    }

    /**
     * Carries out an operator's order to finish the unmount of a volume without its plugin, because the plugin was
     * removed for good, or refuses each unmount. The order drops the record of what is being unmounted: the targets of
     * ended uses, and the staging if no use needs it. Nothing is called and nothing is unmounted. It is carried out only
     * if the mount table shows that nothing of it is mounted; otherwise unmount by hand first. The plugin may keep
     * resources of its own, for example a session or an encrypted device.
     *
     * <p>Unmounts that are certain to be over need no order: see {@link NodeVolumeOptions.Builder#withoutPluginAfter}.
     *
     * <p>The operator, the reason and the time are stored in the ledger before anything is dropped, and removed with the
     * record. If a mount without an answer may still take effect, the volume stays under observation for {@link
     * NodeVolumeOptions#lateWork()}, and a late mount is reported and removed.
     *
     * @param volume the volume
     * @param allocationId the allocation that used the volume; {@link #unmount} has to be called for it before
     * @param operator the name of the operator; at most 200 characters, shown in events
     * @param reason the reason; at most 1000 characters, shown in events
     * @return as {@link #unmount}. Fails with CONFLICT if the allocation uses the volume, or if something of it is or may
     *     be mounted; with LEDGER if the order cannot be written, in which case it has no effect
     * @throws IllegalArgumentException if operator or reason is blank, too long, or not valid Unicode
     * @throws IllegalStateException if {@link #start} was not called
     */
    @Override
    public CompletableFuture<@Nullable Void> forgetUnmount(
            VolumeKey volume, AllocationId allocationId, String operator, String reason) {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(operator, "operator");
        Objects.requireNonNull(reason, "reason");
        UnmountOrder order = UnmountOrder.checked(
                "forgetUnmount", operator, reason, ports.clock().millis());
        return workers.withWorker(volume, worker -> worker.forgetUnmount(allocationId, order));
    }

    /**
     * Unmounts a volume when its claim is released, on behalf of a {@link io.csi4j.core.spi.NodeGateway}.
     *
     * @return as {@link #unmount}
     * @throws IllegalStateException if {@link #start} was not called
     */
    public CompletableFuture<@Nullable Void> detach(NodeDetach request) {
        Objects.requireNonNull(request, "request");
        return unmount(NodeUnmount.of(request));
    }

    /**
     * Returns the usage of a volume, measured at the mount of an allocation (R92). A plugin older than CSI 1.13 may
     * also report the condition of the volume in the response.
     *
     * @return the plugin's response; a {@link io.csi4j.core.call.CsiCallException} with NOT_FOUND if the volume is not
     *     mounted for the allocation, with UNIMPLEMENTED if the plugin does not support it
     * @throws IllegalStateException if {@link #start} was not called
     */
    @Override
    public CompletableFuture<NodeGetVolumeStatsResponse> stats(NodeVolumeQuery request) {
        Objects.requireNonNull(request, "request");
        return workers.withWorker(
                request.volume(), worker -> worker.query(entry -> queries.stats(entry, request.allocationId())));
    }

    @Override
    public CompletableFuture<NodeGetVolumeHealthResponse> health(NodeVolumeQuery request) {
        Objects.requireNonNull(request, "request");
        return workers.withWorker(
                request.volume(), worker -> worker.query(entry -> queries.health(entry, request.allocationId())));
    }

    @Override
    public CompletableFuture<VolumeHealthReport> healthReport(NodeVolumeQuery request) {
        Objects.requireNonNull(request, "request");
        return workers.withWorker(
                request.volume(), worker -> worker.query(entry -> queries.report(entry, request.allocationId())));
    }

    /**
     * Returns the health of a plugin's storage backends as this node reports it. CSI has this RPC since 1.13, as an
     * alpha feature (R104). No volume on this node is needed. {@link io.csi4j.core.lifecycle.StorageHealthReport#of}
     * makes a report of the response.
     *
     * @return the plugin's response; a {@link io.csi4j.core.call.CsiCallException} with UNAVAILABLE while the plugin is
     *     missing, with UNIMPLEMENTED if the plugin does not support the RPC
     */
    @Override
    public CompletableFuture<NodeGetStorageHealthResponse> storageHealth(StorageHealthQuery request) {
        Objects.requireNonNull(request, "request");
        return queries.storage(request);
    }

    /**
     * Expands the file system or device of an allocation: NodeExpandVolume at its target path, with the capability of its mount (R94). The
     * call is not retried here, because the engine retries it and knows when it must not be retried (R95).
     *
     * @return the new size; fails as {@link #stats} does
     * @throws IllegalStateException if {@link #start} was not called
     */
    @Override
    public CompletableFuture<NodeExpansion> expand(NodeExpand request) {
        Objects.requireNonNull(request, "request");
        return workers.withWorker(request.volume(), worker -> worker.query(entry -> queries.expand(entry, request)));
    }

    /**
     * Checks every recorded mount: whether it exists, and whether it answers. Missing mounts are made again; broken mounts are reported or
     * repaired. {@link NodeVolumesBuilder#checkEvery} does the same at intervals.
     *
     * @return completes when all mounts have been checked, in bounded time
     * @throws IllegalStateException if {@link #start} was not called
     */
    public CompletableFuture<@Nullable Void> check() {
        return workers.ready().thenCompose(nothing -> check.check());
    }

    @Override
    public CompletableFuture<LedgerReport> ledger() {
        return workers.ready()
                .thenCompose(nothing -> check.searchUnrecorded())
                .thenCompose(nothing -> LedgerReports.of(workers, workers.all()))
                .thenApply(report -> report.of(machine.ids()));
    }

    @Override
    public CompletableFuture<List<VolumeUse>> uses(NodeVolumeId id) {
        Objects.requireNonNull(id, "id");
        return workers.ready().thenCompose(nothing -> LedgerReports.uses(workers, id));
    }

    /**
     * Notifies this object that a plugin was added or has changed, so that waiting work resumes at once. The reports of
     * the ledger then say by which id the plugin knows this machine, also before it has mounted a volume.
     */
    @Override
    public void pluginChanged(PluginId pluginId) {
        Objects.requireNonNull(pluginId, "pluginId");
        machine.announced(pluginId);
        for (NodeVolumeWorker worker : workers.all()) {
            NodeVolumeId id = worker.view().entry().id();
            if (id != null && id.pluginId().equals(pluginId)) {
                worker.wake();
            }
        }
    }

    /**
     * Calls {@link #pluginChanged} for each change of a registry.
     *
     * @param registry the registry of the plugins
     * @return an object that ends the notifications
     */
    public Cancellable follow(PluginRegistry registry) {
        Objects.requireNonNull(registry, "registry");
        return registry.subscribe((snapshot, changes) -> changes.stream()
                .map(change -> change.plugin().registration().key().pluginId())
                .distinct()
                .forEach(this::pluginChanged));
    }

    /**
     * Returns the volumes that need a plugin: those that it has staged or published, and those whose mount or unmount
     * has begun.
     *
     * @return the volumes in order, without the volumes whose record was lost, because their plugin is unknown
     * @throws IllegalStateException if the ledger has not been read, or cannot be read
     */
    @Override
    public List<VolumeKey> volumesOf(PluginId pluginId) {
        Objects.requireNonNull(pluginId, "pluginId");
        return views.volumesOf(pluginId);
    }

    @Override
    public List<NodeVolumeStatus> volumes() {
        return views.all();
    }

    @Override
    public Optional<NodeVolumeStatus> status(VolumeKey volume) {
        Objects.requireNonNull(volume, "volume");
        return views.of(volume);
    }

    @Override
    public List<NodeVolumeId> volumesFor(AllocationId allocationId) {
        Objects.requireNonNull(allocationId, "allocationId");
        return views.volumesFor(allocationId);
    }

    /**
     * Ends the work and leaves every mount as it is. Waiting futures fail with CLOSED. Calls in flight are not cancelled, because they may have had their
     * effect (R30), and no further call is made. The next start resumes from the ledger. Further calls have no effect.
     *
     * @return completes when nothing is written any more; another instance can then use the base directory
     */
    @Override
    public CompletableFuture<@Nullable Void> stop() {
        return end.stop();
    }

    @Override
    public CompletableFuture<@Nullable Void> ready() {
        return workers.ready().copy();
    }
}
