package io.csi4j.core.internal.command;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.Claims;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether a claim has to wait because the volume is staged on the node with other mount options. A volume has
 * only one staging path on a node (R85), and so only one set of mount options there. If the plugin does not stage
 * volumes, each target path has its own mount options.
 */
final class StagingConflict {
    private StagingConflict() {}

    static @Nullable AdmissionDecision find(Volume volume, ClaimRequest request, PlacementFacts facts) {
        Claims here = volume.claims().on(facts.nodeId());
        boolean sameOptions = request.mountOptions().isEmpty() && here.withMountOptions() == 0;
        if (sameOptions
                || here.notNodeDetached() == 0
                || request.capability().attachmentMode() == AttachmentMode.BLOCK) {
            return null;
        }
        List<Holder> holders = holders(volume, here, request);
        if (holders.isEmpty()) {
            return null;
        }
        Optional<CapabilitySet<NodeCapability>> offered = facts.capabilities().node();
        if (offered.isEmpty()) {
            return new AdmissionDecision.Wait(
                    WaitReason.PLUGIN_NOT_KNOWN,
                    holders,
                    "plugin " + volume.pluginId()
                            + " has not reported yet whether it stages the volume, which is in use on" + " node "
                            + facts.nodeId() + " with other mount options");
        }
        return offered.get().has(NodeCapability.STAGE_UNSTAGE_VOLUME)
                ? new AdmissionDecision.Wait(
                        WaitReason.OTHER_MOUNT_OPTIONS_IN_USE,
                        holders,
                        "it is staged on node " + facts.nodeId() + " with other mount options; one set at a time")
                : null;
    }

    /**
     * Returns the claims on the node whose mount options differ from those of the request. A claim that is already
     * detached from the node is left out.
     */
    private static List<Holder> holders(Volume volume, Claims here, ClaimRequest request) {
        MountOptions common = volume.spec().mountOptions();
        MountOptions wanted = common.overriddenBy(request.mountOptions());
        return StreamSupport.stream(here.spliterator(), false)
                .filter(claim -> !claim.nodeDetached()
                        && !common.overriddenBy(claim.mountOptions()).equals(wanted))
                .map(Holder::of)
                .toList();
    }
}
