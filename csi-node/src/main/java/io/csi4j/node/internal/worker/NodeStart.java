package io.csi4j.node.internal.worker;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.node.MountPoints;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StagingPhase;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.ledger.VolumeLedger;
import io.csi4j.node.internal.mount.MountInspector;
import io.csi4j.node.internal.mount.NodeFailures;
import java.io.IOException;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Starts the volumes of a node: loads the records, and adds an empty record for each volume that is mounted but has no record. */
public final class NodeStart {
    private static final System.Logger LOG = System.getLogger(NodeStart.class.getName());

    private final NodePorts ports;
    private final MountInspector inspector;
    private final NodeVolumeWorkers workers;
    private final NodeCheck check;
    private final RunningAllocations running;
    private final Shutdown end;
    private final Duration checkPeriod;
    private final Map<VolumeKey, VolumeEntry> entries = new LinkedHashMap<>();
    private VolumeLedger.Contents contents = new VolumeLedger.Contents(List.of(), List.of());
    /** Whether the start could read the mount table. If not, the mounts without a record are not known yet. */
    private boolean checked;

    /** Creates an object that starts the volumes once. */
    public NodeStart(
            NodePorts ports,
            MountInspector inspector,
            NodeVolumeWorkers workers,
            NodeCheck check,
            RunningAllocations running,
            Shutdown end,
            Duration checkPeriod) {
        this.ports = ports;
        this.inspector = inspector;
        this.workers = workers;
        this.check = check;
        this.running = running;
        this.end = end;
        this.checkPeriod = checkPeriod;
    }

    /** Starts the volumes on the executor; {@link NodeVolumeWorkers#ready} completes when they have started. */
    public void start() {
        CompletableFuture<@Nullable Void> begun = workers.start();
        try {
            ports.executor().execute(() -> begin(begun));
        } catch (RejectedExecutionException e) {
            begun.completeExceptionally(Shutdown.noExecutor(ports, e));
        }
    }

    private void begin(CompletableFuture<@Nullable Void> begun) {
        if (!end.mayBegin(begun)) {
            return;
        }
        Set<AllocationId> recorded;
        try {
            recorded = load();
        } catch (IOException | RuntimeException e) {
            begun.completeExceptionally(new NodeVolumeException(
                    Reason.LEDGER,
                    "The ledger in " + ports.paths().ledger() + " cannot be read: " + NodeFailures.text(e),
                    e));
            return;
        }
        var unused = running.ended(recorded).thenAccept(ended -> begin(begun, ended));
    }

    private void begin(CompletableFuture<@Nullable Void> begun, Set<AllocationId> ended) {
        try {
            Collection<VolumeEntry> records = records(ended);
            if (!workers.open(records)) {
                begun.completeExceptionally(Shutdown.stopped());
                return;
            }
            long unmounting = records.stream().filter(VolumeEntry::isUnmounting).count();
            LOG.log(
                    Level.INFO,
                    () -> "The volumes of this node in " + ports.paths().base() + " have started; "
                            + records.size() + " are recorded from the last run, and " + unmounting
                            + " of them are being unmounted");
            if (!checked) {
                check.findUnrecorded();
            }
        } catch (RuntimeException e) {
            begun.completeExceptionally(new NodeVolumeException(
                    Reason.LEDGER,
                    "The records of " + ports.paths().ledger() + " cannot be used: " + NodeFailures.text(e),
                    e));
            return;
        }
        begun.complete(null);
        workers.all().forEach(NodeVolumeWorker::wake);
        // The future of the check is not used, because the check reports its findings to the listener.
        CompletableFuture<?> unused = check.check();
        check.every(checkPeriod);
        check.watchCallbacks();
        workers.reportReady();
    }

    /** Reads the ledger, and returns the allocations that use a volume. */
    private Set<AllocationId> load() throws IOException {
        contents = ports.ledger().load();
        return contents.entries().stream()
                .flatMap(entry -> entry.uses().stream())
                .map(UseEntry::allocationId)
                .collect(Collectors.toSet());
    }

    /** Returns the records to start with, after {@link #load}. The uses of the given allocations end. */
    private Collection<VolumeEntry> records(Set<AllocationId> ended) {
        for (VolumeEntry recorded : contents.entries()) {
            VolumeEntry entry = withoutEnded(recorded, ended);
            entries.put(
                    entry.key(),
                    mayHaveCallInFlight(entry) ? entry.uncertainAt(ports.clock().millis()) : entry);
        }
        for (VolumeLedger.SetAside aside : contents.setAside()) {
            ports.reporter().report(Kind.RECORD_SET_ASIDE, aside.volume().orElse(null), null, aside.message());
            aside.volume().ifPresent(key -> entries.putIfAbsent(key, VolumeEntry.empty(key, true)));
        }
        unrecorded();
        return entries.values();
    }

    /** Ends the uses of allocations that no longer run. */
    private static VolumeEntry withoutEnded(VolumeEntry recorded, Set<AllocationId> ended) {
        VolumeEntry entry = recorded;
        for (UseEntry use : recorded.uses()) {
            if (ended.contains(use.allocationId())) {
                entry = entry.leave(use.id());
            }
        }
        return entry;
    }

    /**
     * Returns whether a call of an earlier process may still be running (R27, R30). NodePublishVolume may still be
     * running even if the use of the volume has ended since.
     */
    private static boolean mayHaveCallInFlight(VolumeEntry entry) {
        StagingEntry staging = entry.staging();
        return (staging != null && staging.phase() == StagingPhase.STAGING)
                || entry.uses().stream()
                        .anyMatch(use -> use.phase() == UsePhase.PUBLISHING
                                || use.phase().goes());
    }

    private void unrecorded() {
        Optional<MountPoints> table = inspector.table();
        checked = table.isPresent();
        table.map(points -> new UnrecordedMounts(ports).volumes(points, entries.keySet()))
                .ifPresent(
                        found -> found.forEach(volume -> entries.putIfAbsent(volume, VolumeEntry.empty(volume, true))));
    }
}
