package io.csi4j.core.command;

import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.Attachment;
import io.csi4j.core.volume.AttachmentState;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.Volume;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the attachments there are leave to another claim. An attachment usually has claims, and then
 * these decide; one that outlived them (by an override) still keeps its node.
 */
final class AttachmentConflict {
    private AttachmentConflict() {}

    static @Nullable AdmissionDecision find(Volume volume, ClaimRequest request, NodeId nodeId) {
        Optional<Attachment> here = volume.attachments().on(nodeId);
        if (here.isPresent() && here.get().state() == AttachmentState.UNPUBLISHING) {
            return leaving(volume, nodeId);
        }
        if (here.isPresent() && here.get().readonly() && request.mode() == ClaimMode.WRITE) {
            return new AdmissionDecision.Wait(
                    WaitReason.ATTACHED_READONLY,
                    volume.claims().on(nodeId).holders(),
                    "it is attached read-only on node " + nodeId + " for its readers there");
        }
        // An attachment without claims is always UNPUBLISHING, so settled ones need no look.
        if (volume.attachments().unsettled() > 0) {
            for (Attachment other : volume.attachments()) {
                if (!other.nodeId().equals(nodeId) && keepsOut(other, request)) {
                    return leaving(volume, other.nodeId());
                }
            }
        }
        return null;
    }

    private static boolean keepsOut(Attachment other, ClaimRequest request) {
        AccessMode mode = request.capability().accessMode();
        if (other.state() != AttachmentState.UNPUBLISHING) {
            return false;
        }
        return !mode.multiNode()
                || !other.capability().equals(request.capability())
                || (mode == AccessMode.MULTI_NODE_SINGLE_WRITER
                        && request.mode() == ClaimMode.WRITE
                        && !other.readonly());
    }

    private static AdmissionDecision leaving(Volume volume, NodeId nodeId) {
        return new AdmissionDecision.Wait(
                WaitReason.BEING_DETACHED,
                volume.claims().on(nodeId).holders(),
                "it is being detached from node " + nodeId);
    }
}
