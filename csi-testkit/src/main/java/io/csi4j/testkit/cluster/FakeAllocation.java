package io.csi4j.testkit.cluster;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.state.StateReader;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/**
 * An allocation of a {@link FakeCluster}: it claims its volumes, mounts them on its node when the claim is granted, and repeats a failed claim until
 * the allocation ends. Thread-safe.
 */
public final class FakeAllocation {
    private static final Duration RETRY = Duration.ofSeconds(5);

    private final FakeCluster cluster;
    private final AllocationId id;
    private final FakeNode node;
    private final List<ClaimRequest> requests;
    private @Nullable CompletableFuture<ClaimGrant> claim;
    private @Nullable Throwable failure;
    private boolean mounted;
    private boolean ended;
    private boolean reported;
    private int attempts;
    /** The number of the server to which the last claim was sent. */
    private int server;

    FakeAllocation(FakeCluster cluster, AllocationId id, FakeNode node, List<ClaimRequest> requests) {
        this.cluster = cluster;
        this.id = id;
        this.node = node;
        this.requests = List.copyOf(requests);
    }

    /** Returns the id of the allocation. */
    public AllocationId id() {
        return id;
    }

    /** Returns the node of the allocation. */
    public FakeNode node() {
        return node;
    }

    /** Returns whether the allocation has not ended. */
    public synchronized boolean isRunning() {
        return !ended;
    }

    /** Returns whether all volumes of the allocation were granted and mounted. */
    public synchronized boolean hasMountedAll() {
        return mounted && !ended;
    }

    /** Returns whether a volume is mounted for the allocation. */
    public boolean hasMounted(VolumeKey volume) {
        return node.usersOf(volume).contains(id);
    }

    /** Returns the latest failure of a claim or a mount; empty if a claim or mount has succeeded since. */
    public synchronized Optional<Throwable> failure() {
        return Optional.ofNullable(failure);
    }

    /** Returns true if the claim has not been granted yet: it waits at the server, or failed and will be repeated. */
    synchronized boolean isWaiting() {
        return !ended && !mounted;
    }

    /** Returns whether another allocation has a claim on a volume of this one. */
    boolean waitsForOthers(StateReader state) {
        return requests.stream()
                .map(request -> state.volume(request.volume()))
                .flatMap(Optional::stream)
                .anyMatch(volume ->
                        !volume.claims().isEmpty() && volume.claims().get(id).isEmpty());
    }

    /** Sends the claim for the volumes to the present server. */
    void claim() {
        int attempt;
        synchronized (this) {
            boolean asked = claim != null && !claim.isDone() && server == cluster.serverNumber();
            if (ended || mounted || asked) {
                return;
            }
            attempt = ++attempts;
            server = cluster.serverNumber();
            failure = null;
        }
        CompletableFuture<ClaimGrant> asked = cluster.lifecycle().claims().claim(id, requests);
        synchronized (this) {
            claim = asked;
        }
        var unused = asked.thenCompose(node::mount).whenComplete((nothing, problem) -> answered(attempt, problem));
    }

    private void answered(int attempt, @Nullable Throwable problem) {
        synchronized (this) {
            if (attempt != attempts || ended) {
                return;
            }
            mounted = problem == null;
            failure =
                    problem instanceof CompletionException && problem.getCause() != null ? problem.getCause() : problem;
        }
        if (problem != null) {
            cluster.time().after(RETRY, this::claim);
        }
    }

    /**
     * Ends the workload. The node reports the end to the servers at once. A node that does not answer at present
     * reports it when it answers again.
     */
    public void end() {
        synchronized (this) {
            ended = true;
            mounted = false;
        }
        if (node.answers()) {
            reportEnd();
        }
    }

    /** Ends the workload because its node lost power. */
    synchronized void killed() {
        ended = true;
        mounted = false;
    }

    void reportEnd() {
        synchronized (this) {
            if (!ended || reported) {
                return;
            }
            reported = true;
        }
        cluster.reportEnd(this);
    }

    @Override
    public synchronized String toString() {
        return "FakeAllocation[" + id + " on " + node.id()
                + (ended ? ", ended]" : mounted ? ", mounted]" : ", waiting]");
    }
}
