package io.csi4j.core.internal.command;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.WaitReason;
import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.GroupChangePolicy;
import io.csi4j.core.volume.Holder;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.OwnershipOptions;
import io.csi4j.core.volume.Volume;
import java.util.List;
import java.util.Optional;
import java.util.stream.StreamSupport;
import org.jspecify.annotations.Nullable;

/**
 * Decides whether the files of a volume can be given to the volume mount group of a request: by the plugin
 * (VOLUME_MOUNT_GROUP), or else by the node. The node changes the files themselves, so all claims that may have the volume
 * mounted need the same group then, on whichever node they are.
 */
final class GroupConflict {
    private GroupConflict() {}

    static @Nullable AdmissionDecision find(Volume volume, ClaimRequest request, PlacementFacts facts) {
        MountOptions common = volume.spec().mountOptions();
        MountOptions wanted = common.overriddenBy(request.mountOptions());
        boolean mounts = request.capability().attachmentMode() == AttachmentMode.MOUNT;
        boolean grouped = mounts && !wanted.volumeMountGroup().isEmpty();
        boolean changed = !wanted.ownership().equals(OwnershipOptions.defaults());
        if (mounts && changed && !grouped) {
            return new AdmissionDecision.Never(
                    NeverReason.PLUGIN_CANNOT,
                    "the ownership options of the request belong to a volume mount group, and there is none; name the"
                            + " group, or leave the ownership options out");
        }
        boolean none = !grouped
                && common.volumeMountGroup().isEmpty()
                && volume.claims().withMountOptions() == 0;
        if (!mounts || none) {
            return null;
        }
        Optional<CapabilitySet<NodeCapability>> offered = facts.capabilities().node();
        if (offered.isEmpty()) {
            return grouped
                    ? new AdmissionDecision.Wait(
                            WaitReason.PLUGIN_NOT_KNOWN,
                            List.of(),
                            "plugin " + volume.pluginId() + " has not reported its node capabilities yet")
                    : null;
        }
        if (offered.get().has(NodeCapability.VOLUME_MOUNT_GROUP)) {
            return onlyByNode(wanted.ownership()) ? setByPlugin(volume) : null;
        }
        if (grouped) {
            String problem = problem(request, wanted);
            if (!problem.isEmpty()) {
                return new AdmissionDecision.Never(
                        NeverReason.PLUGIN_CANNOT,
                        "plugin " + volume.pluginId()
                                + " does not offer VOLUME_MOUNT_GROUP, so the node has to give the"
                                + " files to the volume mount group, and " + problem);
            }
        }
        List<Holder> holders = StreamSupport.stream(volume.claims().spliterator(), false)
                .filter(claim ->
                        mayBeMounted(claim) && !sameOwnership(common.overriddenBy(claim.mountOptions()), wanted))
                .map(Holder::of)
                .toList();
        return holders.isEmpty()
                ? null
                : new AdmissionDecision.Wait(
                        WaitReason.OTHER_MOUNT_OPTIONS_IN_USE,
                        holders,
                        "others use it with another volume mount group or root owner, or with none, and plugin "
                                + volume.pluginId()
                                + " does not offer VOLUME_MOUNT_GROUP, so its files can belong to one group only");
    }

    private static boolean mayBeMounted(Claim claim) {
        return !claim.nodeDetached() && claim.capability().attachmentMode() == AttachmentMode.MOUNT;
    }

    /** Returns whether two mounts leave the files with the same group and the root directory with the same owner. */
    private static boolean sameOwnership(MountOptions one, MountOptions other) {
        return one.volumeMountGroup().equals(other.volumeMountGroup())
                && one.ownership().rootOwner().equals(other.ownership().rootOwner());
    }

    /** Returns whether no call has a field for these options: a plugin sets the group of all files, and no owner. */
    private static boolean onlyByNode(OwnershipOptions ownership) {
        return ownership.policy() == GroupChangePolicy.ROOT_ONLY
                || ownership.policy() == GroupChangePolicy.ROOT_IF_EMPTY
                || ownership.rootOwner().isPresent();
    }

    private static AdmissionDecision.Never setByPlugin(Volume volume) {
        return new AdmissionDecision.Never(
                NeverReason.PLUGIN_CANNOT,
                "plugin " + volume.pluginId()
                        + " offers VOLUME_MOUNT_GROUP, so it sets the group of all files itself, and not of the root"
                        + " directory alone, nor its owner; leave ROOT_ONLY, ROOT_IF_EMPTY and the root owner out");
    }

    private static String problem(ClaimRequest request, MountOptions wanted) {
        if (wanted.groupNumber().isEmpty()) {
            return "it is not a number from 1 to 4294967294; give the id of the group";
        }
        boolean reads = request.mode() == ClaimMode.READ
                || request.capability().accessMode().readerOnly();
        return reads && wanted.ownership().policy() != GroupChangePolicy.ROOT_IF_EMPTY
                ? "a claim for reading cannot change files; leave the volume mount group out"
                : "";
    }
}
