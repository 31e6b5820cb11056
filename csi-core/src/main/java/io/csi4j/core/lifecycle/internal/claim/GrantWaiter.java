package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.command.Effect;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.internal.plan.InFlightSnapshot;
import io.csi4j.core.internal.plan.Plan;
import io.csi4j.core.lifecycle.ClaimLostException;
import io.csi4j.core.lifecycle.NotLeadingException;
import io.csi4j.core.lifecycle.internal.worker.StateWaiter;
import io.csi4j.core.lifecycle.internal.worker.VolumeSnapshot;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Waits until the volume of a claim is published to the claim's node. Several waiters may wait for one publish call.
 */
final class GrantWaiter implements StateWaiter {
    private final PendingClaim request;
    private final Effect.ClaimTaken taken;
    private final CompletableFuture<Void> published = new CompletableFuture<>();

    GrantWaiter(PendingClaim request, Effect.ClaimTaken taken) {
        this.request = request;
        this.taken = taken;
    }

    /** Completes when the volume is published; fails if it cannot be published. */
    CompletableFuture<Void> published() {
        return published;
    }

    @Override
    public boolean check(VolumeSnapshot snapshot, Plan plan, InFlightSnapshot calls) {
        Optional<Volume> volume = Optional.ofNullable(snapshot.volume());
        Optional<Claim> claim = volume.flatMap(known -> known.claims().held(taken.claim()));
        if (claim.isEmpty()) {
            published.completeExceptionally(request.refusal(taken)
                    .orElseGet(() -> new ClaimLostException(
                            taken.volume().key(), taken.claim().allocationId())));
        } else if (ready(snapshot.state(), volume.get(), claim.get())) {
            published.complete(null);
        }
        return published.isDone();
    }

    /**
     * Returns whether a claim can be granted without a further publish call: the volume is published to the claim's
     * machine, or it has no attachment to the node. A claim of a former machine of the node is never ready, because the
     * publish context of that machine is of no use to the present one.
     */
    static boolean ready(StateReader state, Volume volume, Claim claim) {
        boolean former = state.node(claim.nodeId())
                .filter(node -> node.isFormer(volume.pluginId(), claim.externalNodeId()))
                .isPresent();
        return !former
                && volume.attachments()
                        .on(claim.nodeId())
                        .map(attachment -> attachment.state() == AttachmentState.PUBLISHED)
                        .orElse(true);
    }

    @Override
    public boolean refused(NodeId nodeId, Throwable failure) {
        if (!nodeId.equals(taken.claim().nodeId())) {
            return false;
        }
        published.completeExceptionally(failure);
        return true;
    }

    @Override
    public void ended() {
        published.completeExceptionally(new NotLeadingException());
    }
}
