package io.csi4j.node.internal.worker;

import io.csi4j.core.cluster.LedgerReport;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.VolumeUse;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.NodeVolumeId;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Reports to the servers what the records of this node say: which volumes are mounted, and for whom. */
public final class LedgerReports {
    private LedgerReports() {}

    /**
     * Returns the report of some workers.
     *
     * @param all the workers of the node
     * @param some the workers to report
     */
    public static CompletableFuture<LedgerReport> of(NodeVolumeWorkers all, Collection<NodeVolumeWorker> some) {
        List<CompletableFuture<VolumeEntry>> entries =
                some.stream().map(worker -> entry(all, worker)).toList();
        return CompletableFuture.allOf(entries.toArray(CompletableFuture<?>[]::new))
                .thenApply(done ->
                        report(entries.stream().map(CompletableFuture::join).toList()));
    }

    /** Returns the uses of a volume; fails if the volume may be mounted for an unknown allocation. */
    public static CompletableFuture<List<VolumeUse>> uses(NodeVolumeWorkers workers, NodeVolumeId id) {
        List<NodeVolumeWorker> those = workers.all().stream()
                .filter(worker ->
                        worker.key.equals(id.volume()) || isOf(worker.view().entry(), id))
                .toList();
        return of(workers, those).thenApply(report -> {
            if (!report.unclear().isEmpty()) {
                throw new NodeVolumeException(
                        NodeVolumeException.Reason.LEDGER,
                        "Volume " + id.volume() + " may be mounted for an allocation that the ledger does not name."
                                + " Mount or unmount it by its allocation.");
            }
            return report.uses();
        });
    }

    private static boolean isOf(VolumeEntry entry, NodeVolumeId id) {
        NodeVolumeId known = entry.id();
        return known != null
                && known.pluginId().equals(id.pluginId())
                && known.externalVolumeId().equals(id.externalVolumeId());
    }

    /** Returns the record of a worker. A worker that was removed meanwhile has nothing. */
    private static CompletableFuture<VolumeEntry> entry(NodeVolumeWorkers all, NodeVolumeWorker worker) {
        return worker.recorded()
                .exceptionallyCompose(
                        failure -> all.of(worker.key).filter(worker::equals).isEmpty()
                                ? CompletableFuture.completedFuture(VolumeEntry.empty(worker.key, false))
                                : CompletableFuture.failedFuture(Futures.unwrap(failure)));
    }

    private static LedgerReport report(List<VolumeEntry> entries) {
        List<VolumeUse> uses = new ArrayList<>();
        List<VolumeKey> unclear = new ArrayList<>();
        for (VolumeEntry entry : entries) {
            NodeVolumeId id = entry.id();
            if (entry.rebuilt() || (id == null && !entry.hasNothing()) || stagedWithoutUse(entry)) {
                unclear.add(entry.key());
            }
            if (id != null) {
                entry.uses().stream()
                        .map(UseEntry::allocationId)
                        .distinct()
                        .forEach(allocation -> uses.add(use(entry, id, allocation)));
            }
        }
        uses.sort((a, b) -> {
            int order = a.volume().compareTo(b.volume());
            return order != 0 ? order : a.allocationId().compareTo(b.allocationId());
        });
        unclear.sort(VolumeKey::compareTo);
        return new LedgerReport(uses, unclear);
    }

    /**
     * Returns the use of a volume by all mounts of an allocation, as their one claim has it: it writes if a mount writes,
     * and it ends if all mounts end.
     */
    private static VolumeUse use(VolumeEntry entry, NodeVolumeId id, AllocationId allocation) {
        List<UseEntry> mounts = entry.usesOf(allocation);
        List<UseEntry> staying =
                mounts.stream().filter(use -> use.phase() != UsePhase.LEAVING).toList();
        List<UseEntry> relevant = staying.isEmpty() ? mounts : staying;
        return new VolumeUse(
                entry.key(),
                id.pluginId(),
                id.externalVolumeId(),
                allocation,
                mounts.stream().allMatch(use -> use.terms().readonly()) ? ClaimMode.READ : ClaimMode.WRITE,
                relevant.get(0).terms().capability(),
                staying.isEmpty());
    }

    /** Returns whether the volume is staged although no allocation uses it. The node is about to unstage it. */
    private static boolean stagedWithoutUse(VolumeEntry entry) {
        return entry.staging() != null && entry.uses().isEmpty();
    }
}
