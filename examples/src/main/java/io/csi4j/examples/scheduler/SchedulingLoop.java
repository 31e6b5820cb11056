package io.csi4j.examples.scheduler;

import io.csi4j.admin.access.FirstToken;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.lifecycle.WaitingQuery;
import io.csi4j.core.placement.ProposedPlacement;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimState;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeOwner;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import java.util.stream.Collectors;

/**
 * The loop of the leading server. It compares the job file with the allocations in the state, and submits the differences. All that it knows is in the file and
 * in the state, so the next leader continues where this one ended.
 */
final class SchedulingLoop implements AutoCloseable {
    private static final long INTERVAL_MILLIS = 300;
    private static final long LOG_SECONDS = 10;
    private static final long MAX_ID = 1L << 50;

    private final VolumeLifecycle lifecycle;
    private final ObservableState store;
    private final ClusterLayout layout;
    private final Path firstToken;
    private final NodeContacts contacts;
    private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread daemon = new Thread(task, "csi4j-example-scheduling");
        daemon.setDaemon(true);
        return daemon;
    });
    private final Notice failure = new Notice("scheduling");
    private final Notice wrongLines = new Notice("job file");
    private final RandomGenerator ids = new SecureRandom();
    private volatile boolean leading;
    private volatile boolean hasToken;

    /** @param firstToken the file for the first token of the operators, of this server only */
    SchedulingLoop(VolumeLifecycle lifecycle, ObservableState store, ClusterLayout layout, Path firstToken) {
        this.lifecycle = lifecycle;
        this.store = store;
        this.layout = layout;
        this.firstToken = firstToken;
        this.contacts = new NodeContacts(lifecycle, store);
        var unused = thread.scheduleWithFixedDelay(this::runSafely, 0, INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    }

    void start() {
        contacts.reset();
        hasToken = false;
        leading = true;
    }

    void stop() {
        leading = false;
    }

    boolean leading() {
        return leading;
    }

    NodeContacts contacts() {
        return contacts;
    }

    private void runSafely() {
        if (!leading) {
            return;
        }
        try {
            run();
            makeFirstToken();
            failure.set("");
        } catch (CompletionException | CsiException | IllegalArgumentException | IOException e) {
            // Only reports the failure: the next run of the loop makes the changes that this run has not made.
            failure.set(String.valueOf(e instanceof CompletionException ? e.getCause() : e));
        }
    }

    private void run() throws IOException {
        JobFile file = JobFile.read(layout.jobs());
        wrongLines.set(file.wrongLines().stream()
                .map(line -> line.in(layout.jobs()))
                .collect(Collectors.joining(System.lineSeparator())));
        contacts.reportLostNodes();
        putClasses(file);
        endOwners(file);
        Set<String> instances = new HashSet<>();
        for (Allocation allocation : store.snapshot().allocations()) {
            if (allocation.ended()) {
                forget(allocation);
            } else if (!instances.add(JobFile.instance(allocation.id()))
                    || unwanted(file, allocation)
                    || lostVolumes(file, allocation)) {
                // After a restore, an instance can have two allocations: one of the backup, and one that was placed
                // later.
                stop(allocation);
            }
        }
        for (JobFile.Job job : file.jobs().values()) {
            for (int i = 0; i < job.count(); i++) {
                ensureRuns(file, job, job.name() + "-" + i);
            }
        }
    }

    /** Makes the first token for the operators, once after this server has begun to lead, if the state has none. */
    private void makeFirstToken() {
        if (!hasToken) {
            join(FirstToken.create(lifecycle, firstToken));
            hasToken = true;
        }
    }

    private void putClasses(JobFile file) {
        for (VolumeClass row : file.classes().values()) {
            boolean same = store.snapshot()
                    .volumeClass(row.name())
                    .filter(known -> known.sameValues(row))
                    .isPresent();
            if (!same) {
                join(lifecycle.classes().put(row));
            }
        }
    }

    /** Says of each job that is no longer in the file that it has ended, so that its volumes are deleted or retained. */
    private void endOwners(JobFile file) {
        VolumeQuery query = VolumeQuery.builder().namespace(JobFile.NAMESPACE).build();
        for (Volume volume : store.snapshot().volumes(query).items()) {
            volume.owner()
                    .flatMap(VolumeOwner::ofWorkload)
                    .filter(owner -> owner.endedAt().isEmpty())
                    .map(VolumeOwner.OfWorkload::workload)
                    .filter(owner -> !file.jobs().containsKey(owner.name().value())
                            && !file.isUnclear(owner.name().value()))
                    .ifPresent(owner -> join(lifecycle.cluster().ownerEnded(JobFile.NAMESPACE, owner)));
        }
    }

    private static boolean unwanted(JobFile file, Allocation allocation) {
        return (file.jobOf(allocation.id()).isEmpty() && !file.isUnclear(allocation.id()))
                || file.drained().contains(allocation.nodeId());
    }

    /**
     * Returns whether an allocation runs without its volumes, because an operator has said that they are not mounted
     * any more, for example of a machine that was replaced. After a restore, a node first says what it has mounted.
     */
    private boolean lostVolumes(JobFile file, Allocation allocation) {
        StateReader state = store.snapshot();
        return allocation.status() == AllocationStatus.RUNNING
                && file.jobOf(allocation.id())
                        .filter(job -> !job.volumes().isEmpty())
                        .isPresent()
                && state.node(allocation.nodeId())
                        .filter(node -> node.ledger().isSettled())
                        .isPresent()
                && !hasVolume(state, allocation.id());
    }

    private static boolean hasVolume(StateReader state, AllocationId id) {
        for (VolumeKey key : state.volumesClaimedBy(id)) {
            for (Claim claim : state.volume(key).orElseThrow().claims()) {
                if (claim.allocationId().equals(id) && claim.state() == ClaimState.TAKEN) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Removes an ended allocation from the state when it has no claims any more. */
    private void forget(Allocation allocation) {
        if (!store.snapshot().volumesClaimedBy(allocation.id()).iterator().hasNext()) {
            join(lifecycle.cluster().allocationForgotten(allocation.id()));
        }
    }

    private void stop(Allocation allocation) {
        if (allocation.status() == AllocationStatus.STOPPING) {
            return;
        }
        report(lifecycle.cluster().allocationStopping(allocation.id(), allocation.namespace(), allocation.nodeId()));
    }

    /** Places an instance of a job, unless it has an allocation that has not ended. */
    private void ensureRuns(JobFile file, JobFile.Job job, String instance) {
        StateReader state = store.snapshot();
        Map<NodeId, Integer> load = new HashMap<>();
        for (Allocation allocation : state.allocations()) {
            if (!allocation.ended()) {
                load.merge(allocation.nodeId(), 1, Integer::sum);
                if (JobFile.instance(allocation.id()).equals(instance)) {
                    return;
                }
            }
        }
        // The id is random: an id that is made from the state could be in use already, if the state was restored from a
        // backup.
        AllocationId id = AllocationId.of(instance + "-" + Long.toString(ids.nextLong(MAX_ID), 36));
        List<ClaimRequest> requests = file.requests(job, JobFile.owner(state, job.name()), id);
        Optional<NodeChoice> placement =
                NodeChoice.choose(state, requests, load, file.drained(), hasWaitingClaims(requests));
        placement.ifPresent(chosen -> place(id, chosen, requests));
    }

    private boolean hasWaitingClaims(List<ClaimRequest> requests) {
        Set<VolumeKey> waited = new HashSet<>();
        join(lifecycle.claims().waiting(WaitingQuery.all()))
                .items()
                .forEach(claim -> claim.requests().forEach(request -> waited.add(request.volume())));
        return requests.stream().map(ClaimRequest::volume).anyMatch(waited::contains);
    }

    private void place(AllocationId id, NodeChoice placement, List<ClaimRequest> requests) {
        // A reservation adds the allocation and claims its volumes in one transaction. Without a reservation, the agent
        // of the node claims the volumes later, and its claims wait in the queue.
        if (!placement.reserves()) {
            report(lifecycle.cluster().allocationPlaced(id, JobFile.NAMESPACE, placement.node()));
            return;
        }
        var proposed = new ProposedPlacement(id, JobFile.NAMESPACE, placement.node(), requests);
        if (join(lifecycle.log().submit(proposed.reservation(Instant.now()))) instanceof Outcome.Rejected rejected) {
            print(rejected.reason().message());
        }
    }

    /** Waits for a report. If the state rejects the report, the next run of the loop decides again. */
    private static void report(CompletableFuture<Void> report) {
        try {
            join(report);
        } catch (CompletionException e) {
            if (!(e.getCause() instanceof RejectedException rejected)) {
                throw e;
            }
            print(rejected.reason().message());
        }
    }

    private static void print(String rejection) {
        System.err.println(Instant.now() + " scheduling: " + rejection);
    }

    private static <T> T join(CompletableFuture<T> future) {
        return future.orTimeout(LOG_SECONDS, TimeUnit.SECONDS).join();
    }

    @Override
    public void close() {
        leading = false;
        thread.shutdownNow();
    }
}
