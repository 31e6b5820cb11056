package io.csi4j.core.internal.command;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Volume;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the current attachments of a volume allow another claim. Usually an attachment has claims, and {@link
 * ClaimConflict} decides. If an operator's override removed the claims, the attachment alone still blocks other claims
 * until the volume is detached.
 */
final class AttachmentConflict {
    private AttachmentConflict() {}

    static @Nullable AdmissionDecision find(Volume volume, ClaimRequest request, NodeId nodeId) {
        Optional<Attachment> here = volume.attachments().on(nodeId);
        if (here.isPresent() && here.get().state() == AttachmentState.UNPUBLISHING) {
            return beingDetached(volume, nodeId);
        }
        if (here.isPresent() && !here.get().capability().equals(request.capability())) {
            // Usually a claim of the same capability is there, and ClaimConflict decides. A use that a node still had
            // after an operator's override may outlive that claim.
            return new AdmissionDecision.Wait(
                    WaitReason.OTHER_CAPABILITY_IN_USE,
                    volume.claims().on(nodeId).holders(),
                    "it is attached to node " + nodeId + " as " + here.get().capability());
        }
        if (here.isPresent() && here.get().readonly() && request.mode() == ClaimMode.WRITE) {
            return new AdmissionDecision.Wait(
                    WaitReason.ATTACHED_READONLY,
                    volume.claims().on(nodeId).holders(),
                    "it is attached read-only on node " + nodeId + " for its readers there");
        }
        // Checks only attachments in state UNPUBLISHING, because an attachment without a claim has no other state.
        if (volume.attachments().count(AttachmentState.UNPUBLISHING) > 0) {
            for (Attachment other : volume.attachments()) {
                if (!other.nodeId().equals(nodeId) && excludes(other, request)) {
                    return beingDetached(volume, other.nodeId());
                }
            }
        }
        return null;
    }

    private static boolean excludes(Attachment other, ClaimRequest request) {
        VolumeAccessMode mode = request.capability().accessMode();
        if (other.state() != AttachmentState.UNPUBLISHING) {
            return false;
        }
        return !mode.multiNode()
                || !other.capability().equals(request.capability())
                || (mode == VolumeAccessMode.MULTI_NODE_SINGLE_WRITER
                        && request.mode() == ClaimMode.WRITE
                        && !other.readonly());
    }

    private static AdmissionDecision beingDetached(Volume volume, NodeId nodeId) {
        return new AdmissionDecision.Wait(
                WaitReason.BEING_DETACHED,
                volume.claims().on(nodeId).holders(),
                "it is being detached from node " + nodeId);
    }
}
