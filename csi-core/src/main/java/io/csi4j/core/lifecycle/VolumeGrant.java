package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.PublishContext;
import io.csi4j.core.csi.Secrets;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.MountOptions;
import java.util.Objects;

/**
 * All a node needs to mount one volume for an allocation (S31). Shows nothing sensitive.
 *
 * @param view the volume with an outline of its plugin and with its claims, of one index
 * @param claim the claim, with the {@link Claim#takenIndex()} of the request that was granted
 * @param publishContext what the controller answered for this node; empty where it does not publish
 * @param mountOptions the volume's, with the claim's on top (S23)
 * @param stageSecrets for NodeStageVolume
 * @param publishSecrets for NodePublishVolume
 */
public record VolumeGrant(
        VolumeView view,
        Claim claim,
        PublishContext publishContext,
        MountOptions mountOptions,
        Secrets stageSecrets,
        Secrets publishSecrets) {
    /** Checks that all parts are there. */
    public VolumeGrant {
        Objects.requireNonNull(view, "view");
        Objects.requireNonNull(claim, "claim");
        Objects.requireNonNull(publishContext, "publishContext");
        Objects.requireNonNull(mountOptions, "mountOptions");
        Objects.requireNonNull(stageSecrets, "stageSecrets");
        Objects.requireNonNull(publishSecrets, "publishSecrets");
    }
}
