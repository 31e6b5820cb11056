package io.csi4j.node.internal.ledger;

import io.csi4j.core.csi.ExternalNodeId;
import io.csi4j.core.csi.MountFlags;
import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.csi.VolumeCapability;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.plugin.OwnershipSettings;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.MountOptions;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.SecurityLabel;
import io.csi4j.node.NodeMount;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * The parameters of a mount that each repeated call has to contain without a change (R29). Secrets are not included, because they may
 * change (R89).
 *
 * @param mountOptions the options of the staging
 * @param targetFlags the flags of the target, which otherwise has the options of the staging
 * @param machine the external id of the machine for which the publish context was made; empty if it is not known
 * @param inline whether the plugin makes the content where it is published. Such a volume is not staged, and what is owed
 *     to it does not follow from the mount table or from a reboot
 * @param workloadInfo what NodePublishVolume gets in its volume context beside {@code volumeContext}. It is not part of
 *     the staging
 * @param labelByMount whether the plugin gets the security label of the mount options, by the profile at the time of the grant
 * @param ownershipSettings how the node gives the files to the group of the mount options, by the same profile. It is not part
 *     of the staging
 */
public record MountTerms(
        RequestedCapability capability,
        MountOptions mountOptions,
        MountFlags targetFlags,
        boolean readonly,
        PublishContext publishContext,
        VolumeContext volumeContext,
        Optional<ExternalNodeId> machine,
        boolean inline,
        VolumeContext workloadInfo,
        boolean labelByMount,
        OwnershipSettings ownershipSettings) {
    /**
     * A placeholder for a mount without a record. Such a mount is only unmounted, and the calls for an unmount do not
     * use these parameters.
     */
    public static final MountTerms UNKNOWN = new MountTerms(
            RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER),
            MountOptions.none(),
            false,
            PublishContext.empty(),
            VolumeContext.empty(),
            Optional.empty());

    public MountTerms {
        Objects.requireNonNull(machine, "machine");
        Objects.requireNonNull(capability, "capability");
        Objects.requireNonNull(publishContext, "publishContext");
        Objects.requireNonNull(volumeContext, "volumeContext");
        Objects.requireNonNull(workloadInfo, "workloadInfo");
        Objects.requireNonNull(ownershipSettings, "ownershipSettings");
        // Removes the mount options of a block device, because no call contains them. So two uses of a block device are
        // equal even if their mount options differ.
        mountOptions = capability.attachmentMode() == AttachmentMode.BLOCK
                ? MountOptions.none()
                : Objects.requireNonNull(mountOptions, "mountOptions");
        targetFlags = capability.attachmentMode() == AttachmentMode.BLOCK
                ? MountFlags.empty()
                : Objects.requireNonNull(targetFlags, "targetFlags");
    }

    /** Creates the parameters of a target with the flags of the staging, for a volume that is not inline. */
    public MountTerms(
            RequestedCapability capability,
            MountOptions mountOptions,
            boolean readonly,
            PublishContext publishContext,
            VolumeContext volumeContext,
            Optional<ExternalNodeId> machine) {
        this(
                capability,
                mountOptions,
                mountOptions.mountFlags(),
                readonly,
                publishContext,
                volumeContext,
                machine,
                false,
                VolumeContext.empty(),
                false,
                OwnershipSettings.ofDefaults());
    }

    public static MountTerms of(NodeMount request) {
        return new MountTerms(
                request.capability(),
                request.mountOptions(),
                request.targetFlags(),
                request.readonly(),
                request.publishContext(),
                request.volumeContext(),
                request.externalNodeId(),
                request.inline(),
                request.workloadInfo(),
                request.labelByMount(),
                request.ownershipSettings());
    }

    /** Returns the same parameters for the machine of another request. */
    public MountTerms on(Optional<ExternalNodeId> other) {
        return other.isEmpty() || other.equals(machine)
                ? this
                : new MountTerms(
                        capability,
                        mountOptions,
                        targetFlags,
                        readonly,
                        publishContext,
                        volumeContext,
                        other,
                        inline,
                        workloadInfo,
                        labelByMount,
                        ownershipSettings);
    }

    /** Returns the same parameters without a group for the files. */
    public MountTerms withoutGroup() {
        return with(mountOptions.withoutGroup(), targetFlags);
    }

    /** Returns the same parameters with the security label as a mount flag of the staging and of the target, if there is one. */
    public MountTerms withLabelFlag() {
        Optional<SecurityLabel> label = mountOptions.securityLabel();
        return label.isEmpty()
                ? this
                : with(
                        mountOptions.withFlags(and(mountOptions.mountFlags(), label.get())),
                        and(targetFlags, label.get()));
    }

    private static MountFlags and(MountFlags flags, SecurityLabel label) {
        List<String> all = new ArrayList<>(flags.asList());
        all.add(label.mountFlag());
        return MountFlags.of(all);
    }

    private MountTerms with(MountOptions options, MountFlags flags) {
        return new MountTerms(
                capability,
                options,
                flags,
                readonly,
                publishContext,
                volumeContext,
                machine,
                inline,
                workloadInfo,
                labelByMount,
                ownershipSettings);
    }

    /** Returns the same parameters for a staging, which belongs to no workload. */
    public MountTerms withoutWorkload() {
        return workloadInfo.isEmpty()
                ? this
                : new MountTerms(
                        capability,
                        mountOptions,
                        targetFlags,
                        readonly,
                        publishContext,
                        volumeContext,
                        machine,
                        inline,
                        VolumeContext.empty(),
                        labelByMount,
                        ownershipSettings);
    }

    /** Returns the volume context that NodePublishVolume gets. */
    public VolumeContext targetContext() {
        if (workloadInfo.isEmpty()) {
            return volumeContext;
        }
        Map<String, String> all = new HashMap<>(volumeContext.asMap());
        all.putAll(workloadInfo.asMap());
        return VolumeContext.of(all);
    }

    /** Returns the keys of the information about the workload that the volume context has with other values, sorted. */
    public SortedSet<String> contradictedKeys() {
        SortedSet<String> keys = new TreeSet<>();
        workloadInfo.asMap().forEach((key, value) -> {
            String own = volumeContext.asMap().get(key);
            if (own != null && !own.equals(value)) {
                keys.add(key);
            }
        });
        return keys;
    }

    /** Returns the capability that NodeStageVolume gets. */
    public VolumeCapability stagingCapability() {
        return capability.toVolumeCapability(mountOptions);
    }

    /** Returns the capability that NodePublishVolume gets, and each call for the target. */
    public VolumeCapability targetCapability() {
        return capability.toVolumeCapability(
                new MountOptions(mountOptions.fsType(), targetFlags, mountOptions.volumeMountGroup()));
    }

    /**
     * Returns whether a mount with these parameters and a mount with the parameters {@code other} can share one staging
     * (R85). The read-only flag and the flags of the target do not matter, because they concern only the target (R89).
     */
    public boolean stagedAs(MountTerms other) {
        return capability.equals(other.capability) && mountOptions.equals(other.mountOptions);
    }

    /**
     * Returns whether a mount with these parameters and a mount with the parameters {@code other} can both be
     * published, if the plugin does not stage volumes. They need the same capability (R90) and the same security label,
     * because a file system has one on a node; their other mount options may differ.
     */
    public boolean publishedBeside(MountTerms other) {
        return capability.equals(other.capability) && sameLabel(other);
    }

    /** Returns whether both have the same security label, or none. */
    public boolean sameLabel(MountTerms other) {
        return mountOptions.securityLabel().equals(other.mountOptions.securityLabel());
    }

    /**
     * Returns whether both sets of parameters request the same mount. Contexts are not compared, because they come from
     * the storage provider and not from the request.
     */
    public boolean sameOptions(MountTerms other) {
        return stagedAs(other) && targetFlags.equals(other.targetFlags) && readonly == other.readonly;
    }
}
