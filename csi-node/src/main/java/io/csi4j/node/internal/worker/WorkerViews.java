package io.csi4j.node.internal.worker;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.NodeVolumeStatus;
import io.csi4j.node.internal.ledger.VolumeEntry;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Answers which volumes are on this node and what their workers do, from the views of the workers. */
public final class WorkerViews {
    private final NodeVolumeWorkers workers;
    private final NodePorts ports;
    private final NodeCheck check;

    public WorkerViews(NodeVolumeWorkers workers, NodePorts ports, NodeCheck check) {
        this.workers = workers;
        this.ports = ports;
        this.check = check;
    }

    /** Returns the status of all present and requested volumes, in the order of their keys. */
    public List<NodeVolumeStatus> all() {
        return workers.all().stream()
                .map(NodeVolumeWorker::view)
                .filter(view -> !view.isGone())
                .filter(view -> view.entry().id() != null || view.entry().rebuilt())
                .map(this::status)
                .sorted((a, b) -> a.volume().compareTo(b.volume()))
                .toList();
    }

    /** Returns the status of one volume; empty if it is neither present nor requested. */
    public Optional<NodeVolumeStatus> of(VolumeKey volume) {
        return workers.of(volume)
                .map(NodeVolumeWorker::view)
                .filter(view -> !view.isGone())
                .map(this::status);
    }

    private String problem(Path mount) {
        String found = check.problem(mount);
        String renewal = ports.republish().problem(mount);
        return found.isEmpty() || renewal.isEmpty() ? found + renewal : found + "; " + renewal;
    }

    private NodeVolumeStatus status(WorkerView view) {
        return view.status(ports.paths(), this::problem, ports.timer().nanoTime());
    }

    /**
     * Returns the volumes that need a plugin.
     *
     * @throws IllegalStateException if the ledger has not been read, or cannot be read
     */
    public List<VolumeKey> volumesOf(PluginId pluginId) {
        CompletableFuture<@Nullable Void> begun = workers.begun();
        if (begun == null || !begun.isDone() || begun.isCompletedExceptionally()) {
            throw new IllegalStateException("the ledger in " + ports.paths().ledger()
                    + " has not been read, so it is not known which volumes need plugin " + pluginId
                    + "; ask when start() has completed");
        }
        return ids(entries().filter(entry -> !entry.hasNothing()))
                .filter(id -> id.pluginId().equals(pluginId))
                .map(NodeVolumeId::volume)
                .sorted()
                .toList();
    }

    /** Returns the volumes that have a use of an allocation. */
    public List<NodeVolumeId> volumesFor(AllocationId allocationId) {
        return ids(entries().filter(entry -> !entry.usesOf(allocationId).isEmpty()))
                .toList();
    }

    private Stream<VolumeEntry> entries() {
        return workers.all().stream().map(worker -> worker.view().entry());
    }

    private static Stream<NodeVolumeId> ids(Stream<VolumeEntry> entries) {
        return entries.flatMap(entry -> Stream.ofNullable(entry.id()));
    }
}
