package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.command.Effect;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.CallTarget;
import io.csi4j.core.lifecycle.ClaimLostException;
import io.csi4j.core.lifecycle.RejectedException;
import io.csi4j.core.lifecycle.internal.call.RetryLoop;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.lifecycle.internal.wait.AwaitedCalls;
import io.csi4j.core.lifecycle.internal.wait.RowWait;
import io.csi4j.core.lifecycle.internal.wait.RowWaits;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.util.Optional;

/** Tells whether the volume of a claim is published to the claim's node, so that the claim can be granted. */
final class PublishedClaim {
    private PublishedClaim() {}

    /**
     * Returns the volume of a taken claim if it is published; empty while it is being published.
     *
     * @throws ClaimLostException if the claim was released
     */
    static Optional<Volume> of(StateReader state, Effect.ClaimTaken taken) {
        Optional<Volume> volume = state.volume(taken.volume().key());
        Claim claim = volume.flatMap(now -> now.claims().held(taken.claim()))
                .orElseThrow(() -> new ClaimLostException(
                        taken.volume().key(), taken.claim().allocationId()));
        return volume.filter(now -> ready(state, now, claim));
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

    /** Returns the wait of a request until a volume is published to a node; begins it if it has not begun. */
    static RowWait<Volume> await(RowWaits waits, Term term, PendingClaim claim, VolumeKey key, NodeId nodeId) {
        return claim.publishing(key, () -> waits.begin(term, key, publishing(nodeId)));
    }

    /** Returns the calls that publish a volume to the node of a claim. */
    private static AwaitedCalls publishing(NodeId nodeId) {
        return new AwaitedCalls() {
            @Override
            public boolean include(CallTarget target, Volume volume) {
                return target instanceof CallTarget.OfAttachment call
                        && call.nodeId().equals(nodeId);
            }

            // A claim that is lost is lost, whatever becomes of the call.
            @Override
            public boolean precedeRow() {
                return false;
            }

            // A result that the state rejected is no refusal.
            @Override
            public boolean endWith(Throwable failure) {
                return RetryLoop.isPermanent(failure) && !(failure instanceof RejectedException);
            }
        };
    }
}
