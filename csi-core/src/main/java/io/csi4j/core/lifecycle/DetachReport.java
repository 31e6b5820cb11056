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
 * The result of an operator's request to detach a volume from a node.
 *
 * @param freed the allocations whose claims on the node were removed
 * @param held the claims of allocations that have not ended, which the engine keeps
 * @param releasing the claims whose release has not ended yet, with their last errors
 * @param attachment the attachment that the state still has for the node, without publish context and mount flags;
 *     empty if there is none
 * @param waits the reasons why the detachment is not done yet
 * @param notAsked the reason why the engine could not ask the storage provider to detach the volume; empty if the
 *     engine asked, or did not have to ask because the plugin attaches no volumes
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
    /** Copies all lists, so that later changes of the caller's lists have no effect. */
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
     * Returns whether the volume is completely detached from the node.
     *
     * @return true if the state has neither a claim nor an attachment for the node, and {@code notAsked} is empty;
     *     false also if the engine could not ask the storage provider
     */
    public boolean detached() {
        return held.isEmpty() && releasing.isEmpty() && attachment.isEmpty() && notAsked.isEmpty();
    }
}
