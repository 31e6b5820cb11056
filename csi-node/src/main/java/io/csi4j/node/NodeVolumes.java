package io.csi4j.node;

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
import io.csi4j.node.internal.ledger.UnmountOrder;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountInspector;
import io.csi4j.node.internal.mount.NodeFailures;
import io.csi4j.node.internal.worker.NodeCheck;
import io.csi4j.node.internal.worker.NodePorts;
import io.csi4j.node.internal.worker.NodeQueries;
import io.csi4j.node.internal.worker.NodeStart;
import io.csi4j.node.internal.worker.NodeVolumeWorker;
import io.csi4j.node.internal.worker.NodeVolumeWorkers;
import io.csi4j.node.internal.worker.Shutdown;
import io.csi4j.node.internal.worker.StartupGate;
import io.csi4j.registry.PluginRegistry;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The volumes of one node: mounts them for allocations and takes them away again, and after a crash or a reboot goes
 * on where it was. What is wanted, and how far it is, is in a ledger below the base directory: written before each call
 * to a plugin, and after it.
 *
 * <p>A volume has one call in flight at most (R26); different volumes go in parallel. No method blocks. Safe for use
 * by many threads. One process may use a base directory at a time. Futures complete on
 * the executor, outside of the work of the volume: a callback may block, and may wait for other futures of this class, if
 * the executor has a thread left.
 */
public final class NodeVolumes implements VolumeMounter {
    private final NodePorts ports;
    private final MountInspector inspector;
    private final NodeQueries queries;
    private final NodeVolumeWorkers workers;
    private final NodeCheck check;
    private final Shutdown end;
    private final Duration checkPeriod;
    private final StartupGate gate;

    /**
     * Node volumes that have not started.
     *
     * @param release runs once the volumes have stopped
     */
    NodeVolumes(NodePorts ports, Duration checkPeriod, Runnable release) {
        this.ports = ports;
        this.checkPeriod = checkPeriod;
        this.inspector = new MountInspector(ports.paths(), ports.plugins(), ports.table(), ports.clock());
        this.queries = new NodeQueries(ports);
        this.workers = new NodeVolumeWorkers(entry -> new NodeVolumeWorker(entry, ports, inspector, this::retire));
        this.check = new NodeCheck(ports, inspector, workers);
        this.end = new Shutdown(ports, workers, check, release);
        this.gate = new StartupGate(workers, end, ports);
    }

    /**
     * A builder with what is always needed.
     *
     * @param baseDirectory where ledger, stagings and targets are; made if missing. The same after a restart
     * @param plugins finds the plugins of this node
     * @return a new builder
     */
    public static NodeVolumesBuilder builder(Path baseDirectory, NodePlugins plugins) {
        Objects.requireNonNull(baseDirectory, "baseDirectory");
        Objects.requireNonNull(plugins, "plugins");
        return new NodeVolumesBuilder(baseDirectory, plugins);
    }

    /**
     * Reads the ledger, compares it with the mount table, and begins to bring every volume on record to where it should
     * be: mounts of living users that are gone are made again, what was to be unmounted is unmounted. Call it once,
     * before anything else. Whoever is on record and no longer runs has to be unmounted by the host; see
     * {@link #volumes()}.
     *
     * @return completes when the ledger has been read; the work goes on. Fails with LEDGER if it cannot be read
     */
    @Override
    public CompletableFuture<@Nullable Void> start() {
        CompletableFuture<@Nullable Void> begun = gate.start();
        try {
            ports.executor().execute(() -> begin(begun));
        } catch (RejectedExecutionException e) {
            begun.completeExceptionally(end.noExecutor(e));
        }
        return gate.ready().copy();
    }

    private void begin(CompletableFuture<@Nullable Void> begun) {
        if (!end.mayBegin(begun)) {
            return;
        }
        try {
            NodeStart start = new NodeStart(ports, inspector);
            if (!workers.open(start.records())) {
                begun.completeExceptionally(Shutdown.stopped());
                return;
            }
            if (!start.hasLooked()) {
                check.findUnrecorded();
            }
        } catch (IOException | RuntimeException e) {
            begun.completeExceptionally(new NodeVolumeException(
                    NodeVolumeException.Reason.LEDGER,
                    "The ledger in " + ports.paths().ledger() + " cannot be read: " + NodeFailures.text(e),
                    e));
            return;
        }
        begun.complete(null);
        workers.all().forEach(NodeVolumeWorker::wake);
        // What it finds is told to the listener.
        CompletableFuture<?> unused = check.look();
        check.every(checkPeriod);
        gate.tellReady();
    }

    /**
     * Mounts a volume for an allocation: NodeStageVolume where the plugin stages and nobody has staged it yet, then
     * NodePublishVolume. The same request again completes with the same path. Failed steps are tried again until the
     * limit of {@link NodeVolumeOptions#mountLimit()}; what was begun for a mount that failed is undone.
     *
     * @param request what, for whom, and how
     * @return the path. Cancelling it takes the wish back, and what was begun is undone; of an allocation that was
     *     on record before, only the waiting ends. Fails with a {@link
     *     NodeVolumeException}, or with the {@link io.csi4j.core.call.CsiCallException} of a plugin that refuses for
     *     good
     * @throws IllegalStateException if {@link #start} was not called
     */
    @Override
    public CompletableFuture<MountedVolume> mount(NodeMount request) {
        Objects.requireNonNull(request, "request");
        return gate.withWorker(request.volume(), worker -> worker.mount(request));
    }

    /**
     * Unmounts a volume from an allocation: NodeUnpublishVolume, then NodeUnstageVolume if nobody else here uses it.
     * An allocation that has nothing mounted is a success; so is the repeat.
     *
     * @param request what, and from whom
     * @return completes once nothing is mounted for it. Fails with UNFINISHED after the limit of {@link
     *     NodeVolumeOptions#unmountLimit()}; the work then goes on, and the same request waits for it again.
     *     Cancelling it ends the waiting only
     * @throws IllegalStateException if {@link #start} was not called
     */
    @Override
    public CompletableFuture<@Nullable Void> unmount(NodeUnmount request) {
        Objects.requireNonNull(request, "request");
        return gate.withWorker(request.id().volume(), worker -> worker.unmount(request));
    }

    /**
     * An operator's order to unmount a target without the plugin, if the plugin denies the mount: it answers
     * NodeUnpublishVolume with OK or NOT_FOUND, and the mount table still shows the target. That happens if a plugin was
     * killed between its mount and its own record of it. Only the publish target of the allocation below the base
     * directory is unmounted, never the staging path. The plugin is asked first, in this process; what it would still
     * have written to the volume may be lost.
     *
     * <p>Operator, reason and time are written to the ledger before anything is unmounted, and go with the use. A
     * restart keeps the order; a new mount for the allocation ends it.
     *
     * @param request what, and from whom; {@link #unmount} has to have been called for it
     * @param operator who orders it; at most 200 characters, shown in events
     * @param reason why; at most 1000 characters, shown in events
     * @return as {@link #unmount}. Fails with CONFLICT if the allocation is not being unmounted, and has or may have a
     *     mount; with LEDGER if the order cannot be written, and then it does not count
     * @throws IllegalArgumentException if operator or reason is blank, too long, or not Unicode
     * @throws IllegalStateException if {@link #start} was not called
     */
    @Override
    public CompletableFuture<@Nullable Void> unmountDirectly(NodeUnmount request, String operator, String reason) {
        Objects.requireNonNull(request, "request");
        Objects.requireNonNull(operator, "operator");
        Objects.requireNonNull(reason, "reason");
        UnmountOrder order =
                UnmountOrder.checked(operator, reason, ports.clock().millis());
        return gate.withWorker(request.id().volume(), worker -> worker.unmountDirectly(request, order));
    }

    /**
     * The node's part of the release of a claim, as a {@link io.csi4j.core.spi.NodeGateway} is asked for it.
     *
     * @param request what
     * @return as {@link #unmount}
     * @throws IllegalStateException if {@link #start} was not called
     */
    public CompletableFuture<@Nullable Void> detach(NodeDetach request) {
        Objects.requireNonNull(request, "request");
        return unmount(NodeUnmount.of(request));
    }

    /**
     * Usage, and condition before CSI 1.13, of a volume where an allocation uses it (R92).
     *
     * @param request what
     * @return the plugin's answer; a {@link io.csi4j.core.call.CsiCallException} with NOT_FOUND if it is not mounted
     *     for the allocation, with UNIMPLEMENTED if the plugin cannot tell
     * @throws IllegalStateException if {@link #start} was not called
     */
    @Override
    public CompletableFuture<NodeGetVolumeStatsResponse> stats(NodeVolumeQuery request) {
        Objects.requireNonNull(request, "request");
        return gate.withWorker(
                request.volume(), worker -> worker.query(entry -> queries.stats(entry, request.allocationId())));
    }

    /**
     * Health of a volume where an allocation uses it; alpha, since CSI 1.13 (R104).
     *
     * @param request what
     * @return the plugin's answer; fails as {@link #stats} does
     * @throws IllegalStateException if {@link #start} was not called
     */
    @Override
    public CompletableFuture<NodeGetVolumeHealthResponse> health(NodeVolumeQuery request) {
        Objects.requireNonNull(request, "request");
        return gate.withWorker(
                request.volume(), worker -> worker.query(entry -> queries.health(entry, request.allocationId())));
    }

    /**
     * Health of a volume where an allocation uses it, by whichever model the plugin speaks: NodeGetVolumeHealth since CSI
     * 1.13, the condition that NodeGetVolumeStats tells before.
     *
     * @param request what
     * @return what is known; fails as {@link #stats} does
     * @throws IllegalStateException if {@link #start} was not called
     */
    @Override
    public CompletableFuture<VolumeHealthReport> healthReport(NodeVolumeQuery request) {
        Objects.requireNonNull(request, "request");
        return gate.withWorker(
                request.volume(), worker -> worker.query(entry -> queries.report(entry, request.allocationId())));
    }

    /**
     * Health of a plugin's storage backends as this node sees them; alpha, since CSI 1.13 (R104). No volume need be here;
     * {@link io.csi4j.core.lifecycle.StorageHealthReport#of} tells what it means.
     *
     * @param request which plugin
     * @return the plugin's answer; a {@link io.csi4j.core.call.CsiCallException} with UNAVAILABLE while the plugin is not
     *     there, with UNIMPLEMENTED if it cannot tell
     */
    @Override
    public CompletableFuture<NodeGetStorageHealthResponse> storageHealth(StorageHealthQuery request) {
        Objects.requireNonNull(request, "request");
        return queries.storage(request);
    }

    /**
     * Grows what an allocation sees of a volume: NodeExpandVolume at its target path, with the capability it was
     * mounted with (R94). Not repeated here: the engine does that, and knows when it must not (R95).
     *
     * @param request what, and how large
     * @return the size there is now; fails as {@link #stats} does
     * @throws IllegalStateException if {@link #start} was not called
     */
    @Override
    public CompletableFuture<NodeExpansion> expand(NodeExpand request) {
        Objects.requireNonNull(request, "request");
        return gate.withWorker(request.volume(), worker -> worker.query(entry -> queries.expand(entry, request)));
    }

    /**
     * Looks at every mount on record: whether it is there, and whether it answers. What is missing is made again, what
     * fails is reported or repaired. It is done now and then anyway, see {@link NodeVolumesBuilder#checkEvery}.
     *
     * @return completes when all have been looked at, in bounded time
     * @throws IllegalStateException if {@link #start} was not called
     */
    public CompletableFuture<@Nullable Void> check() {
        return gate.ready().thenCompose(nothing -> check.look());
    }

    /**
     * Says that a plugin has come, or has changed: what waits for it goes on at once, and not at the next look.
     *
     * @param pluginId the plugin
     */
    @Override
    public void pluginChanged(PluginId pluginId) {
        Objects.requireNonNull(pluginId, "pluginId");
        for (NodeVolumeWorker worker : workers.all()) {
            NodeVolumeId id = worker.view().entry().id();
            if (id != null && id.pluginId().equals(pluginId)) {
                worker.wake();
            }
        }
    }

    /**
     * Listens to a registry, and says {@link #pluginChanged} of each plugin that comes or changes there.
     *
     * @param registry where the plugins are
     * @return ends it
     */
    public Cancellable follow(PluginRegistry registry) {
        Objects.requireNonNull(registry, "registry");
        return registry.subscribe((picture, changes) -> changes.stream()
                .map(change -> change.plugin().registration().key().pluginId())
                .distinct()
                .forEach(this::pluginChanged));
    }

    /**
     * The volumes that need a plugin: staged or published through it, or about to be, or being taken away.
     *
     * @param pluginId the plugin
     * @return their names, in order; of a volume whose record was lost it is not known which plugin it needs
     * @throws IllegalStateException if the ledger has not been read, or cannot be
     */
    @Override
    public List<VolumeKey> volumesOf(PluginId pluginId) {
        Objects.requireNonNull(pluginId, "pluginId");
        CompletableFuture<@Nullable Void> begun = gate.begun();
        if (begun == null || !begun.isDone() || begun.isCompletedExceptionally()) {
            throw new IllegalStateException("the ledger in " + ports.paths().ledger()
                    + " has not been read, so it is not known which volumes need plugin " + pluginId
                    + "; ask when start() has completed");
        }
        return workers.all().stream()
                .map(worker -> worker.view().entry())
                .filter(entry -> !entry.hasNothing())
                .flatMap(entry -> Optional.ofNullable(entry.id()).stream())
                .filter(id -> id.pluginId().equals(pluginId))
                .map(NodeVolumeId::volume)
                .sorted()
                .toList();
    }

    /**
     * How all volumes stand that are here, or should be.
     *
     * @return by their names, at this moment
     */
    @Override
    public List<NodeVolumeStatus> volumes() {
        return workers.all().stream()
                .map(NodeVolumeWorker::view)
                .filter(view -> !view.isGone())
                .filter(view -> view.entry().id() != null || view.entry().rebuilt())
                .map(view -> view.status(ports.paths()))
                .sorted((a, b) -> a.volume().compareTo(b.volume()))
                .toList();
    }

    /**
     * How one volume stands.
     *
     * @param volume the volume
     * @return empty if it is not here, and should not be
     */
    @Override
    public Optional<NodeVolumeStatus> status(VolumeKey volume) {
        Objects.requireNonNull(volume, "volume");
        return workers.of(volume)
                .map(NodeVolumeWorker::view)
                .filter(view -> !view.isGone())
                .map(view -> view.status(ports.paths()));
    }

    @Override
    public List<NodeVolumeId> volumesFor(AllocationId allocationId) {
        Objects.requireNonNull(allocationId, "allocationId");
        return workers.all().stream()
                .map(worker -> worker.view().entry())
                .filter(entry -> entry.user(allocationId).isPresent())
                .map(VolumeEntry::id)
                .flatMap(id -> Optional.ofNullable(id).stream())
                .toList();
    }

    /**
     * Ends the work and leaves every mount as it is. Who waits is told so with CLOSED; calls under way are not
     * cancelled, as that would undo nothing (R30), and none is begun. The next start goes on from the ledger. Does
     * nothing the second time.
     *
     * @return completes when nothing is written any more; the base directory can then be used again, by node volumes
     *     built anew
     */
    @Override
    public CompletableFuture<@Nullable Void> stop() {
        return end.stop(gate.begun());
    }

    @Override
    public CompletableFuture<@Nullable Void> ready() {
        return gate.ready().copy();
    }

    private boolean retire(NodeVolumeWorker worker) {
        return workers.retire(worker);
    }

    Executor executor() {
        return ports.executor();
    }
}
