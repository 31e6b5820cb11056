package io.csi4j.simulation.stress;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** One allocation: it claims until it is granted, mounts its volumes, and ends once. */
final class StressWorkload {
    final AllocationId id;
    final NodeId node;
    final List<ClaimRequest> requests;
    private final StressCluster cluster;
    private final StressPlugin plugin;
    private final VolumeLifecycle lifecycle;

    // Guarded by this.
    private @Nullable CompletableFuture<ClaimGrant> claim;
    private boolean mounted;
    private boolean cancelled;
    private boolean ended;

    StressWorkload(StressRun run, AllocationId id, NodeId node, List<ClaimRequest> requests) {
        this.cluster = run.cluster();
        this.plugin = run.plugin();
        this.lifecycle = run.lifecycle();
        this.id = id;
        this.node = node;
        this.requests = requests;
    }

    void begin() {
        cluster.status(id, node, AllocationStatus.RUNNING);
        claim();
    }

    private void claim() {
        CompletableFuture<ClaimGrant> request;
        synchronized (this) {
            if (ended || cancelled || mounted || (claim != null && !claim.isDone())) {
                return;
            }
            request = lifecycle.claims().claim(id, requests);
            claim = request;
        }
        var unused = request.whenComplete((grant, failure) -> {
            if (failure == null) {
                mount();
            }
        });
    }

    /** Repeats a claim that failed because of a leader or a plugin. */
    void retry() {
        claim();
    }

    private synchronized void mount() {
        if (ended || cancelled) {
            return;
        }
        mounted = true;
        for (ClaimRequest request : requests) {
            String volume = request.volume().volumeId().value();
            if (!plugin.attached.contains(volume + "@ext-" + node)) {
                plugin.violations.add("I3: " + volume + " is granted on " + node + " and not attached there");
            }
            plugin.mounted.add(StressPlugin.mount(volume, id.value(), "ext-" + node));
        }
    }

    /** Cancels a waiting claim; a granted claim stays until the end. */
    synchronized void cancel() {
        if (claim != null && claim.cancel(false)) {
            cancelled = true;
        }
    }

    /** Releases one volume before the allocation ends; the workload does not claim it again. */
    CompletableFuture<Void> release(int index) {
        synchronized (this) {
            if (!mounted || ended) {
                return CompletableFuture.completedFuture(null);
            }
        }
        return lifecycle.claims().release(requests.get(index % requests.size()).volume(), id);
    }

    void end() {
        synchronized (this) {
            if (ended) {
                return;
            }
            ended = true;
        }
        cluster.status(id, node, AllocationStatus.ENDED);
    }

    synchronized boolean answered() {
        return claim == null || claim.isDone();
    }
}
