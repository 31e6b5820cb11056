package io.csi4j.node.internal.worker;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.node.BrokenMounts;
import io.csi4j.node.MountPoints;
import io.csi4j.node.NodeVolumeEvent.Kind;
import io.csi4j.node.NodeVolumeException;
import io.csi4j.node.PathProbe.Finding;
import io.csi4j.node.internal.ledger.StagingEntry;
import io.csi4j.node.internal.ledger.StagingPhase;
import io.csi4j.node.internal.ledger.UseEntry;
import io.csi4j.node.internal.ledger.UseId;
import io.csi4j.node.internal.ledger.UsePhase;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountInspector;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/** Checks that mounts exist and respond, on request and at intervals. Each change of a mount's condition is reported once. */
public final class NodeCheck {
    /** Longer than every probe should take. */
    private static final Duration PROBE_LIMIT = Duration.ofMinutes(5);

    private static final String OTHER_LABEL =
            "look what has mounted it, end its workloads, unmount it and mount it again";

    private static final Duration WATCH_PERIOD = Duration.ofSeconds(30);

    private final NodePorts ports;
    private final MountInspector inspector;
    private final NodeVolumeWorkers workers;
    private final RunningAllocations running;
    private final Timeouts timeouts;
    private final Map<Path, Finding> reported = new ConcurrentHashMap<>();
    /** The mounts without the security label of their record. */
    private final Set<Path> unlabelled = ConcurrentHashMap.newKeySet();

    private final AtomicBoolean unrecordedIsDue = new AtomicBoolean();
    private @Nullable Cancellable next;
    private @Nullable Cancellable watch;
    private boolean stopped;

    public NodeCheck(NodePorts ports, MountInspector inspector, NodeVolumeWorkers workers, RunningAllocations running) {
        this.running = running;
        this.timeouts = new Timeouts(ports.timer(), ports.executor());
        this.ports = ports;
        this.inspector = inspector;
        this.workers = workers;
    }

    /**
     * A recorded mount.
     *
     * @param label the security label with which the plugin has mounted it; empty: none
     */
    private record Mount(
            Path path,
            @Nullable AllocationId allocation,
            UnaryOperator<VolumeEntry> repair,
            Optional<SecurityLabel> label) {}

    /** Starts to look at intervals for callbacks of the host that block. */
    public synchronized void watchCallbacks() {
        if (!stopped) {
            watch = ports.timer().schedule(WATCH_PERIOD, () -> {
                ports.host().logBlocked();
                watchCallbacks();
            });
        }
    }

    /** Starts periodic checks; the period lies between the end of one check and the beginning of the next. */
    public synchronized void every(Duration period) {
        if (!stopped && !period.isZero()) {
            next = ports.timer().schedule(period, () -> {
                var unused = check().whenComplete((nothing, error) -> every(period));
            });
        }
    }

    synchronized void stop() {
        stopped = true;
        if (next != null) {
            next.cancel();
        }
        if (watch != null) {
            watch.cancel();
        }
    }

    /**
     * Makes the next check search for mounts without a record. Called if the start could not search for them, because
     * it could not read the mount table.
     */
    public void findUnrecorded() {
        unrecordedIsDue.set(true);
    }

    /**
     * Searches for mounts without a record now, if the start could not.
     *
     * @return completes when all mounts are known; fails with LEDGER while the mount table cannot be read
     */
    public CompletableFuture<@Nullable Void> searchUnrecorded() {
        if (!unrecordedIsDue.get()) {
            return CompletableFuture.completedFuture(null);
        }
        return CompletableFuture.supplyAsync(inspector::table, ports.executor()).thenAccept(table -> {
            if (table.isEmpty()) {
                throw new NodeVolumeException(
                        NodeVolumeException.Reason.LEDGER,
                        "The mount table of this node cannot be read, so it is not known what is mounted");
            }
            if (unrecordedIsDue.getAndSet(false)) {
                unrecorded(table.get());
            }
        });
    }

    private void unrecorded(MountPoints points) {
        List<VolumeKey> known = workers.all().stream().map(worker -> worker.key).toList();
        for (VolumeKey volume : new UnrecordedMounts(ports).volumes(points, known)) {
            // Creates a worker for a volume without a record. The worker reads the mount table and finds the mount
            // itself.
            Optional<VolumeKey> unused = workers.give(volume, worker -> {
                worker.wake();
                return volume;
            });
        }
    }

    public CompletableFuture<@Nullable Void> check() {
        try {
            return CompletableFuture.supplyAsync(() -> inspector.table().orElse(null), ports.executor())
                    .thenCompose(this::check);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    private CompletableFuture<@Nullable Void> check(@Nullable MountPoints points) {
        List<CompletableFuture<?>> checks = new ArrayList<>();
        Set<Path> mounted = new HashSet<>();
        if (points != null && unrecordedIsDue.getAndSet(false)) {
            unrecorded(points);
        }
        // The answers are used at the end of this check or at the next one.
        CompletableFuture<?> unused = running.ask();
        for (NodeVolumeWorker worker : workers.all()) {
            endUses(worker);
            worker.wake();
            if (points != null) {
                for (Mount mount : mounts(worker)) {
                    if (points.contains(mount.path())) {
                        mounted.add(mount.path());
                        compareLabel(worker, mount, points);
                        checks.add(probe(mount.path()).thenAccept(finding -> found(worker, mount, finding)));
                    }
                }
            }
        }
        if (points != null) {
            reported.keySet().retainAll(mounted);
            unlabelled.retainAll(mounted);
        }
        return CompletableFuture.allOf(checks.toArray(CompletableFuture<?>[]::new));
    }

    /** Ends the uses of recorded allocations of which the host has said only after the start that they have ended. */
    private void endUses(NodeVolumeWorker worker) {
        for (UseEntry use : worker.view().entry().uses()) {
            AllocationId allocation = use.allocationId();
            if (use.phase().living() && running.hasEnded(allocation)) {
                worker.change(entry -> running.hasEnded(allocation) ? entry.leave(use.id()) : entry);
            }
        }
    }

    /** Probes a mount. A probe that fails or does not end says nothing about the mount. */
    private CompletableFuture<Finding> probe(Path path) {
        CompletableFuture<Finding> probed =
                ports.host().call("PathProbe.probe", () -> ports.probe().probe(path));
        return timeouts.limit(probed, PROBE_LIMIT, () -> {
                    ports.host().givenUp(probed, PROBE_LIMIT);
                    return new CsiException("the probe did not end");
                })
                .thenApply(finding -> ports.host().required("PathProbe.probe", finding))
                .exceptionally(failure -> Finding.NO_ANSWER);
    }

    private List<Mount> mounts(NodeVolumeWorker worker) {
        List<Mount> mounts = new ArrayList<>();
        VolumeEntry entry = worker.view().entry();
        StagingEntry staging = entry.staging();
        if (staging != null && staging.phase() == StagingPhase.STAGED) {
            mounts.add(new Mount(
                    ports.paths().staging(worker.key, staging.terms()),
                    null,
                    NodeCheck::reset,
                    entry.mountedLabel(staging.terms())));
        }
        for (UseEntry use : entry.uses()) {
            if (use.phase() == UsePhase.PUBLISHED) {
                Path path = ports.paths().target(worker.key, use.id());
                mounts.add(new Mount(
                        path,
                        use.allocationId(),
                        now -> isChanged(now, use.id()) ? now : now.resetUse(use.id()),
                        entry.mountedLabel(use.terms())));
            }
        }
        return mounts;
    }

    /** Repairs a staging, unless the plugin has changed a mount: nothing is mounted again under its workload. */
    private static VolumeEntry reset(VolumeEntry entry) {
        return entry.uses().stream().anyMatch(use -> isChanged(entry, use.id())) ? entry : entry.reset();
    }

    private static boolean isChanged(VolumeEntry entry, UseId use) {
        return entry.use(use).filter(found -> found.renewal().changed()).isPresent();
    }

    /** Reports a mount that has lost its security label: something has mounted the volume again. */
    private void compareLabel(NodeVolumeWorker worker, Mount mount, MountPoints points) {
        boolean lost = mount.label().isPresent()
                && points.securityContext(mount.path())
                        .filter(mount.label().get()::isSameAs)
                        .isEmpty();
        if (!lost) {
            unlabelled.remove(mount.path());
        } else if (unlabelled.add(mount.path())) {
            report(
                    Kind.LABEL_CHANGED,
                    worker,
                    mount,
                    " is mounted at " + mount.path() + " without the security label "
                            + mount.label().get() + " of its record; " + OTHER_LABEL);
        }
    }

    private void found(NodeVolumeWorker worker, Mount mount, Finding finding) {
        if (finding == Finding.SOUND && inspector.stagingSound(mount.path())) {
            worker.wake();
        }
        boolean news = finding == Finding.SOUND
                ? reported.remove(mount.path()) != null
                : !finding.equals(reported.put(mount.path(), finding));
        if (finding == Finding.NO_ANSWER && news) {
            report(
                    Kind.MOUNT_UNRESPONSIVE,
                    worker,
                    mount,
                    " does not answer at " + mount.path() + "; nothing is done, since that proves nothing");
        } else if (finding == Finding.BROKEN) {
            boolean repair = ports.options().brokenMounts() == BrokenMounts.REPAIR;
            if (repair || news) {
                String what = repair ? "; it is being mounted again" : "; unmount it and mount it again";
                report(Kind.MOUNT_BROKEN, worker, mount, " fails at " + mount.path() + what);
            }
            if (repair) {
                worker.change(mount.repair());
            } else if (mount.allocation() == null) {
                inspector.stagingBroken(mount.path());
            }
        }
    }

    /** Returns the problem that the last check or the mount itself found, for operators; empty if there is none. */
    public String problem(Path mount) {
        Finding finding = reported.get(mount);
        if (finding == Finding.BROKEN) {
            return "the mount fails: its attributes cannot be read; unmount it and mount it again";
        }
        if (finding == Finding.NO_ANSWER) {
            return "the mount does not answer";
        }
        return unlabelled.contains(mount)
                ? "the mount does not have the security label of its record; " + OTHER_LABEL
                : inspector.note(mount);
    }

    private void report(Kind kind, NodeVolumeWorker worker, Mount mount, String what) {
        ports.reporter().report(kind, worker.key, mount.allocation(), "Volume " + worker.key + what);
    }
}
