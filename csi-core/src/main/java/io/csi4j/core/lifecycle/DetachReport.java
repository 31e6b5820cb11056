package io.csi4j.core.lifecycle;

import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.RemainingWork;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * What an operator's detachment did, and why it did no more (S14).
 *
 * @param volume the volume
 * @param nodeId the node
 * @param freed whose claims there were removed
 * @param held the claims that allocations hold which have not ended: they are not touched
 * @param releasing the claims that are being released still, with their last errors
 * @param attachment the attachment that is left, without its publish context and mount flags; empty: the state has none
 *     there
 * @param waits why it is not done yet
 * @param notAsked why the provider was not asked, although the state has nothing to detach and the provider may; empty:
 *     it was asked, or the plugin attaches no volumes
 */
public record DetachReport(
        VolumeKey volume,
        NodeId nodeId,
        List<AllocationId> freed,
        List<Claim> held,
        List<Claim> releasing,
        Optional<Attachment> attachment,
        List<RemainingWork.Wait> waits,
        Optional<String> notAsked) {
    /** Copies the lists. */
    public DetachReport {
        Objects.requireNonNull(volume, "volume");
        Objects.requireNonNull(nodeId, "nodeId");
        freed = List.copyOf(freed);
        held = List.copyOf(held);
        releasing = List.copyOf(releasing);
        Objects.requireNonNull(attachment, "attachment");
        waits = List.copyOf(waits);
        Objects.requireNonNull(notAsked, "notAsked");
    }

    /**
     * Whether nothing of the volume is left on the node.
     *
     * @return true if there is neither a claim nor an attachment, and the provider was asked where it may have one
     */
    public boolean detached() {
        return held.isEmpty() && releasing.isEmpty() && attachment.isEmpty() && notAsked.isEmpty();
    }
}
