package io.csi4j.simulation;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimGrant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** An allocation as its host knows it. */
final class SimWorkload {
    final AllocationId id;
    final SimNode node;
    final List<ClaimRequest> requests;

    @Nullable CompletableFuture<ClaimGrant> claim;
    /** The server process that received the claim. */
    @Nullable SimProcess server;

    /** Counts claims and releases; an answer to an earlier request is ignored. */
    int requestNumber;

    boolean granted;
    /** Whether the workload released or cancelled all its claims; it may claim again. */
    boolean paused;
    /** The released volumes without an answer. */
    final List<VolumeKey> unansweredReleases = new ArrayList<>();

    boolean ended;
    boolean reported;

    SimWorkload(AllocationId id, SimNode node, List<ClaimRequest> requests) {
        this.id = id;
        this.node = node;
        this.requests = requests;
    }

    /** Whether the claim was answered, or its server has crashed and never answers. */
    boolean answered() {
        return claim == null || claim.isDone() || (server != null && !server.alive());
    }

    Optional<ClaimRequest> request(VolumeKey key) {
        return requests.stream().filter(request -> request.volume().equals(key)).findFirst();
    }

    /** Cancels the claim; the workload may claim again later. */
    void cancelClaim() {
        requestNumber++;
        granted = false;
        if (claim != null) {
            claim.cancel(false);
        }
    }
}
