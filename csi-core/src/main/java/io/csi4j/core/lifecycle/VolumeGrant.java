package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.plugin.OwnershipSettings;
import io.csi4j.core.plugin.RepublishOptions;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.MountOptions;
import java.util.Objects;

/**
 * All data that a node needs to mount one volume for an allocation. {@code toString} shows neither secrets nor contexts
 * nor mount flags.
 *
 * @param view the volume with its claims and its plugin, all from one snapshot of the state; the view leaves out the
 *     plugin's instances and allocations
 * @param claim the claim; its {@link Claim#takenIndex()} is that of the granted request
 * @param publishContext the controller's response for this node; empty if the plugin needs no ControllerPublishVolume
 * @param mountOptions the options of the volume, overridden by the options of the claim
 * @param stageSecrets the secrets for NodeStageVolume
 * @param publishSecrets the secrets for NodePublishVolume
 * @param workloadInfo what NodePublishVolume gets in its volume context beside that of the volume, if the {@linkplain
 *     io.csi4j.core.plugin.PluginProfile profile} of the plugin says so; otherwise empty
 * @param republish how often the node publishes the mounted volume again, and with which tokens, by the same profile
 * @param labelByMount whether the plugin gets the security label of the mount options, by its profile
 * @param ownershipSettings how the node gives the files to the group of the mount options, by the same profile
 */
public record VolumeGrant(
        VolumeView view,
        Claim claim,
        PublishContext publishContext,
        MountOptions mountOptions,
        Secrets stageSecrets,
        Secrets publishSecrets,
        VolumeContext workloadInfo,
        RepublishOptions republish,
        boolean labelByMount,
        OwnershipSettings ownershipSettings) {
    public VolumeGrant {
        Objects.requireNonNull(view, "view");
        Objects.requireNonNull(claim, "claim");
        Objects.requireNonNull(publishContext, "publishContext");
        Objects.requireNonNull(mountOptions, "mountOptions");
        Objects.requireNonNull(stageSecrets, "stageSecrets");
        Objects.requireNonNull(publishSecrets, "publishSecrets");
        Objects.requireNonNull(workloadInfo, "workloadInfo");
        Objects.requireNonNull(republish, "republish");
        Objects.requireNonNull(ownershipSettings, "ownershipSettings");
    }

    /** Creates a grant for a plugin without a profile. */
    public VolumeGrant(
            VolumeView view,
            Claim claim,
            PublishContext publishContext,
            MountOptions mountOptions,
            Secrets stageSecrets,
            Secrets publishSecrets) {
        this(
                view,
                claim,
                publishContext,
                mountOptions,
                stageSecrets,
                publishSecrets,
                VolumeContext.empty(),
                RepublishOptions.none(),
                false,
                OwnershipSettings.ofDefaults());
    }
}
