package io.csi4j.core.internal.command;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a claim has to wait because the volume is used on the node with another security label. A file system has
 * one label on a node, however often it is mounted there, and no label is a value of its own. This does not depend on the
 * profile of the plugin: if the host relabels the files for one workload, it takes them from the others.
 */
final class LabelConflict {
    private LabelConflict() {}

    static @Nullable AdmissionDecision find(Volume volume, ClaimRequest request, NodeId nodeId) {
        if (request.capability().attachmentMode() == AttachmentMode.BLOCK) {
            return null;
        }
        MountOptions common = volume.spec().mountOptions();
        if (request.mountOptions().securityLabel().isPresent()
                && common.overriddenBy(request.mountOptions()).labelIsContradicted()) {
            return new AdmissionDecision.Never(
                    NeverReason.PLUGIN_CANNOT,
                    "the request has a security label, and its mount flags or those of the volume set a context, too; leave"
                            + " one of them out");
        }
        Claims here = volume.claims().on(nodeId);
        boolean none = request.mountOptions().securityLabel().isEmpty() && here.withMountOptions() == 0;
        if (none || here.notNodeDetached() == 0) {
            return null;
        }
        boolean conflict = StreamSupport.stream(here.spliterator(), false)
                .anyMatch(claim -> !claim.nodeDetached()
                        && !claim.adopted()
                        && !claim.mountOptions()
                                .securityLabel()
                                .equals(request.mountOptions().securityLabel()));
        // The others are not named: their label says to whom they belong.
        return conflict
                ? new AdmissionDecision.Wait(
                        WaitReason.OTHER_MOUNT_OPTIONS_IN_USE,
                        List.of(),
                        "it is used on node " + nodeId
                                + " with another security label, or with a label while the request has"
                                + " none, or with none; a volume has one label on a node at a time")
                : null;
    }
}
