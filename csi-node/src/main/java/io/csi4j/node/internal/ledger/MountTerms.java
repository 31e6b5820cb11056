package io.csi4j.node.internal.ledger;

import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.node.NodeMount;
import java.util.Objects;

/**
 * The parameters of a mount that a repeated call has to repeat (R29). Secrets are not among them, because they may change (R89).
 */
public record MountTerms(
        RequestedCapability capability,
        MountOptions mountOptions,
        boolean readonly,
        PublishContext publishContext,
        VolumeContext volumeContext) {
    /** Used for a mount that has no record and is being removed; no call of the removal has these parameters. */
    public static final MountTerms UNKNOWN = new MountTerms(
            RequestedCapability.mount(AccessMode.SINGLE_NODE_WRITER),
            MountOptions.none(),
            false,
            PublishContext.empty(),
            VolumeContext.empty());

    public MountTerms {
        Objects.requireNonNull(capability, "capability");
        Objects.requireNonNull(publishContext, "publishContext");
        Objects.requireNonNull(volumeContext, "volumeContext");
        // Two uses of a block device are equal, because no call has mount options for it.
        mountOptions = capability.attachmentMode() == AttachmentMode.BLOCK
                ? MountOptions.none()
                : Objects.requireNonNull(mountOptions, "mountOptions");
    }

    /** Returns the parameters of a requested mount. */
    public static MountTerms of(NodeMount request) {
        return new MountTerms(
                request.capability(),
                request.mountOptions(),
                request.readonly(),
                request.publishContext(),
                request.volumeContext());
    }

    public VolumeCapability volumeCapability() {
        return capability.toVolumeCapability(mountOptions);
    }

    /** Returns whether both can share one staging (R85); readonly concerns the target only (R89). */
    public boolean stagedAs(MountTerms other) {
        return capability.equals(other.capability) && mountOptions.equals(other.mountOptions);
    }

    /** Returns whether both can be published without a staging: with one capability (R90) and any options. */
    public boolean publishedBeside(MountTerms other) {
        return capability.equals(other.capability);
    }

    /** Returns whether both request the same mount. Contexts are not compared, because they come from the provider. */
    public boolean sameOptions(MountTerms other) {
        return stagedAs(other) && readonly == other.readonly;
    }
}
