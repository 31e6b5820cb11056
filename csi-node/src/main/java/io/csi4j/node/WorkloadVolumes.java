package io.csi4j.node;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.internal.text.Durations;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.WorkloadStatus.Phase;
import io.csi4j.node.internal.mount.NodeFailures;
import io.csi4j.node.internal.worker.UnfinishedUnmounts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * All volumes of a workload together: claims them, mounts them concurrently, and unmounts them when the workload has ended. Thread-safe; no method blocks.
 *
 * <p>This class never releases claims, because the host's report that an allocation has ended releases them.
 */
public final class WorkloadVolumes {
    private static final String CLAIMS_WAIT =
            "its claims are not granted yet; the engine's status of each volume shows who has it and who waits";

    private final VolumeMounter volumes;
    private final MountClaims claims;
    private final Timer timer;
    private final Map<AllocationId, Preparation> preparations = new ConcurrentHashMap<>();
    private final UnfinishedUnmounts unfinished = new UnfinishedUnmounts();

    /**
     * Creates a {@code WorkloadVolumes} for a node.
     *
     * @param volumes the node's volumes; the host starts and stops them
     * @param claims claims the volumes and returns their mount requests
     * @param timer the timer for the limit of a teardown
     */
    public WorkloadVolumes(VolumeMounter volumes, MountClaims claims, Timer timer) {
        this.volumes = Objects.requireNonNull(volumes, "volumes");
        this.claims = Objects.requireNonNull(claims, "claims");
        this.timer = Objects.requireNonNull(timer, "timer");
    }

    /**
     * Claims all volumes of a workload, waits for them, and mounts them concurrently. A repeated call for the same allocation returns the
     * same future while the preparation is in progress.
     *
     * <p>A workload may mount a volume several times, with different flags or some of the mounts read-only: each has its
     * own target, and all share one claim and one staging. {@link ClaimRequest#merged} says which mounts one claim can
     * serve. Other mounts are refused before anything is claimed.
     *
     * @param allocationId the workload
     * @param requests at least one, and one for each mount. Equal requests share a target
     * @return the mounted volumes, one for each request and in the order of the requests. If the future is cancelled, or one of the volumes fails, all mounts are
     *     undone and a waiting claim is withdrawn; the future then fails with the first failure. Granted claims stay with the allocation
     *     until it ends, so that a repeated request gets them at once. Fails with a {@link RejectedException} with {@link
     *     io.csi4j.core.command.NeverReason#REQUESTED_DIFFERENTLY} if one claim cannot serve all mounts of a volume
     * @throws IllegalArgumentException if there is no request
     */
    public CompletableFuture<List<MountedVolume>> prepare(AllocationId allocationId, List<ClaimRequest> requests) {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(requests, "requests");
        Preparation fresh = new Preparation(allocationId, ClaimRequest.checked(allocationId, requests));
        Preparation known = preparations.compute(
                allocationId, (id, found) -> found == null || found.result.isDone() ? fresh : found);
        if (known.equals(fresh)) {
            fresh.begin();
        }
        return known.result;
    }

    /**
     * Returns the progress of a workload's volumes; empty if they were not prepared since this process started, or were unmounted again.
     */
    public Optional<WorkloadStatus> status(AllocationId allocationId) {
        Objects.requireNonNull(allocationId, "allocationId");
        return Optional.ofNullable(preparations.get(allocationId)).map(Preparation::status);
    }

    /**
     * Unmounts all volumes of an ended workload, including those that an earlier process mounted. The host may shut down in the meantime: unfinished work is in
     * the ledger, and continues at the next start. Waits until the ledger has been read.
     *
     * @param allocationId the workload; its processes must have stopped
     * @param limit the longest time to wait
     * @return which volumes are unmounted, and which were not unmounted within the limit. Fails only with a {@link NodeVolumeException}, if
     *     the ledger could not be read within the limit
     * @throws IllegalStateException if the node volumes were not started
     */
    public CompletableFuture<Teardown> teardown(AllocationId allocationId, Duration limit) {
        Objects.requireNonNull(allocationId, "allocationId");
        Objects.requireNonNull(limit, "limit");
        CompletableFuture<@Nullable Void> ready = volumes.ready();
        Optional<Preparation> preparation = Optional.ofNullable(preparations.remove(allocationId));
        preparation.ifPresent(begun -> begun.result.cancel(false));
        CompletableFuture<Teardown> result = new CompletableFuture<>();
        AtomicReference<@Nullable Map<VolumeKey, CompletableFuture<?>>> known = new AtomicReference<>();
        Cancellable limiter = timer.schedule(limit, () -> timeEnded(known.get(), limit, result));
        var unused = ready.whenComplete((nothing, error) -> {
            if (error != null) {
                limiter.cancel();
                result.completeExceptionally(Futures.unwrap(error));
                return;
            }
            // Reads the volumes from the ledger, because only the ledger has the mounts of an earlier process.
            Map<VolumeKey, CompletableFuture<?>> unmounts;
            try {
                unmounts = unmounts(allocationId, preparation);
            } catch (RuntimeException e) {
                limiter.cancel();
                result.completeExceptionally(e);
                return;
            }
            known.set(unmounts);
            var unusedToo = CompletableFuture.allOf(unmounts.values().toArray(CompletableFuture<?>[]::new))
                    .whenComplete((all, failure) -> {
                        limiter.cancel();
                        result.complete(sorted(unmounts));
                    });
        });
        return result;
    }

    private static void timeEnded(
            @Nullable Map<VolumeKey, CompletableFuture<?>> known, Duration limit, CompletableFuture<Teardown> result) {
        if (known != null) {
            result.complete(sorted(known));
        } else {
            result.completeExceptionally(new NodeVolumeException(
                    NodeVolumeException.Reason.UNFINISHED,
                    "The ledger was not read within " + Durations.text(limit)
                            + ", so it is not known what is mounted for the"
                            + " allocation; what is will be unmounted once it has been read"));
        }
    }

    private Map<VolumeKey, CompletableFuture<?>> unmounts(
            AllocationId allocationId, Optional<Preparation> preparation) {
        Map<VolumeKey, CompletableFuture<?>> unmounts = new HashMap<>();
        Stream.of(
                        volumes.volumesFor(allocationId),
                        preparation.map(Preparation::begun).orElse(List.of()),
                        unfinished.of(allocationId))
                .flatMap(Collection::stream)
                .forEach(id -> unmounts.computeIfAbsent(
                        id.volume(), key -> unfinished.watched(allocationId, id, unmount(id, allocationId))));
        return unmounts;
    }

    /** Unmounts one volume. If the mounter throws, the future fails, so that the other volumes are unmounted nevertheless. */
    private CompletableFuture<?> unmount(NodeVolumeId id, AllocationId allocationId) {
        return Futures.start(() -> volumes.unmount(new NodeUnmount(id, allocationId)));
    }

    private static Teardown sorted(Map<VolumeKey, CompletableFuture<?>> unmounts) {
        Map<Boolean, List<VolumeKey>> byEnd = unmounts.entrySet().stream()
                .collect(Collectors.partitioningBy(
                        each -> each.getValue().isDone() && !each.getValue().isCompletedExceptionally(),
                        Collectors.mapping(
                                Map.Entry::getKey,
                                Collectors.collectingAndThen(
                                        Collectors.toList(),
                                        keys -> keys.stream().sorted().toList()))));
        return new Teardown(byEnd.getOrDefault(true, List.of()), byEnd.getOrDefault(false, List.of()));
    }

    /** The preparation of one workload, from its claims to its mounts. */
    private final class Preparation {
        final AllocationId allocationId;
        final CompletableFuture<List<MountedVolume>> result = new CompletableFuture<>();
        private final RequestedMounts requested;
        /** The mounts by their requests, in the order in which they are mounted. */
        private final Map<ClaimRequest, NodeMount> mounts = new LinkedHashMap<>();

        private final List<CompletableFuture<MountedVolume>> mounting = new ArrayList<>();
        private String failure = "";
        private int undone;

        Preparation(AllocationId allocationId, List<ClaimRequest> requests) {
            this.allocationId = allocationId;
            this.requested = new RequestedMounts(allocationId, requests);
        }

        void begin() {
            CompletableFuture<List<NodeMount>> granted =
                    Futures.start(() -> claims.claim(allocationId, requested.claims()));
            var unused = granted.whenComplete((claimed, error) -> {
                if (error != null) {
                    fail(Futures.unwrap(error));
                } else if (!result.isDone()) {
                    try {
                        mountAll(claimed);
                    } catch (RuntimeException e) {
                        // If the mounts cannot be started, the future fails. Otherwise the caller would wait forever.
                        fail(e);
                    }
                }
            });
            var unusedToo = result.whenComplete((mounted, error) -> {
                if (error != null) {
                    granted.cancel(false);
                    undo();
                }
            });
        }

        private void mountAll(List<NodeMount> granted) {
            List<CompletableFuture<MountedVolume>> begun;
            Map<ClaimRequest, NodeMount> wanted = requested.mounts(granted);
            synchronized (this) {
                if (result.isDone()) {
                    // Mounts nothing, because the preparation has ended in the meantime.
                    return;
                }
                mounts.putAll(wanted);
                mounts.values().forEach(mount -> mounting.add(volumes.mount(mount)));
                begun = List.copyOf(mounting);
            }
            for (CompletableFuture<MountedVolume> each : begun) {
                var unused = each.whenComplete((mounted, error) -> {
                    if (error != null) {
                        fail(Futures.unwrap(error));
                    } else if (begun.stream().allMatch(CompletableFuture::isDone)) {
                        finish(begun);
                    }
                });
            }
            if (result.isCompletedExceptionally()) {
                // Undoes the mounts, because the host cancelled the preparation or a mount failed while other mounts
                // were being started.
                undo();
            }
        }

        private void finish(List<CompletableFuture<MountedVolume>> done) {
            if (done.stream().noneMatch(CompletableFuture::isCompletedExceptionally)) {
                List<ClaimRequest> order = List.copyOf(mounts.keySet());
                result.complete(requested.requests().stream()
                        .map(request -> done.get(order.indexOf(request)).join())
                        .toList());
            }
        }

        private void fail(Throwable error) {
            synchronized (this) {
                if (!failure.isEmpty() || result.isDone()) {
                    return;
                }
                failure = NodeFailures.text(error);
            }
            // Undoes the mounts before the future completes, because the caller may prepare the workload again at once.
            undo();
            result.completeExceptionally(error);
        }

        /** Cancels waiting mounts and unmounts finished ones. */
        private void undo() {
            List<CompletableFuture<MountedVolume>> begun;
            List<NodeVolumeId> ids;
            synchronized (this) {
                begun = List.copyOf(mounting.subList(undone, mounting.size()));
                ids = begun().subList(undone, mounting.size());
                undone = mounting.size();
            }
            begun.forEach(mount -> mount.cancel(false));
            for (NodeVolumeId id : new LinkedHashSet<>(ids)) {
                // Does not wait for the unmount; the status of the volume shows its result.
                CompletableFuture<?> unused = unmount(id, allocationId);
            }
        }

        synchronized List<NodeVolumeId> begun() {
            return mounts.values().stream()
                    .limit(mounting.size())
                    .map(NodeMount::id)
                    .toList();
        }

        WorkloadStatus status() {
            // Calls the host's code before the lock is taken, because it must not run under the lock.
            String claimsWaitFor = result.isDone() ? "" : claims.reason(allocationId);
            return status(claimsWaitFor.isEmpty() ? CLAIMS_WAIT : claimsWaitFor);
        }

        private synchronized WorkloadStatus status(String claimsWaitFor) {
            if (phase() == Phase.CLAIMING) {
                return new WorkloadStatus(allocationId, Phase.CLAIMING, requested.volumes(), claimsWaitFor);
            }
            Set<VolumeKey> missing = new LinkedHashSet<>();
            StringBuilder reason = new StringBuilder(failure);
            List<NodeVolumeId> begun = begun();
            for (int i = 0; i < mounting.size(); i++) {
                VolumeKey key = begun.get(i).volume();
                if (!mounting.get(i).isDone() && missing.add(key)) {
                    volumes.status(key)
                            .map(NodeVolumeStatus::reason)
                            .filter(text -> !text.isEmpty())
                            .ifPresent(text -> reason.append(reason.isEmpty() ? "" : "; ")
                                    .append("volume ")
                                    .append(key)
                                    .append(": ")
                                    .append(text));
                }
            }
            return new WorkloadStatus(allocationId, phase(), List.copyOf(missing), reason.toString());
        }

        private Phase phase() {
            if (result.isDone()) {
                return result.isCompletedExceptionally() ? Phase.UNDOING : Phase.READY;
            }
            return mounts.isEmpty() ? Phase.CLAIMING : Phase.MOUNTING;
        }
    }
}
