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
 * The terms of a mount: all that a repeated call has to repeat (R29). Secrets are not part of them, as they may change
 * (R89).
 */
public record MountTerms(
        RequestedCapability capability,
        MountOptions mountOptions,
        boolean readonly,
        PublishContext publishContext,
        VolumeContext volumeContext) {
    /** Of what is leaving and was never on record: no call that takes it away carries terms. */
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
        // Two uses of a block device do not differ by options that no call carries.
        mountOptions = capability.attachmentMode() == AttachmentMode.BLOCK
                ? MountOptions.none()
                : Objects.requireNonNull(mountOptions, "mountOptions");
    }

    /** The terms of a requested mount. */
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

    /** Whether both may stand on one staging (R85: there is only one); readonly is a matter of the target (R89). */
    public boolean stagedAs(MountTerms other) {
        return capability.equals(other.capability) && mountOptions.equals(other.mountOptions);
    }

    /** Whether both may be published side by side where nothing is staged: one capability (R90), any options. */
    public boolean publishedBeside(MountTerms other) {
        return capability.equals(other.capability);
    }

    /** Whether it is the same wish; contexts are the provider's words, not the workload's. */
    public boolean sameWish(MountTerms other) {
        return stagedAs(other) && readonly == other.readonly;
    }
}
