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

/** An allocation as its host sees it. */
final class SimWorkload {
    final AllocationId id;
    final SimNode node;
    final List<ClaimRequest> requests;

    @Nullable CompletableFuture<ClaimGrant> claim;
    /** Who was asked. */
    @Nullable SimProcess server;

    /** How often it asked, or gave back what it had: an answer to an earlier question is of no account. */
    int requestNumber;

    boolean granted;
    /** It gave everything back, and may ask again. */
    boolean paused;
    /** What it gave back, and got no answer for. */
    final List<VolumeKey> unansweredReleases = new ArrayList<>();

    boolean ended;
    boolean reported;

    SimWorkload(AllocationId id, SimNode node, List<ClaimRequest> requests) {
        this.id = id;
        this.node = node;
        this.requests = requests;
    }

    /** Whether it got its answer, or it will get none: who was asked is no more. */
    boolean answered() {
        return claim == null || claim.isDone() || (server != null && !server.alive());
    }

    Optional<ClaimRequest> request(VolumeKey key) {
        return requests.stream().filter(request -> request.volume().equals(key)).findFirst();
    }

    /** It asks no more, for now. */
    void cancelClaim() {
        requestNumber++;
        granted = false;
        if (claim != null) {
            claim.cancel(false);
        }
    }
}
