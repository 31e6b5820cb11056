package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.command.AdmissionDecision;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.NeverReason;
import io.csi4j.core.command.Rejection;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.plugin.OwnershipSettings;
import io.csi4j.core.plugin.PluginFacts;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.AttachmentMode;
import io.csi4j.core.volume.Claim;
import io.csi4j.core.volume.Volume;
import java.util.Optional;

/**
 * Refuses a new claim with a volume mount group that neither the plugin nor the node may set. The node decides again by
 * what its plugin offers then; a claim that was held before may be mounted, so only the node knows its terms.
 */
final class FixedOwnership {
    private FixedOwnership() {}

    static Optional<Rejection> refusal(StateReader state, Effect.ClaimTaken taken) {
        Volume volume = taken.volume();
        Claim claim = taken.claim();
        boolean grouped = claim.capability().attachmentMode() == AttachmentMode.MOUNT
                && !volume.spec()
                        .mountOptions()
                        .overriddenBy(claim.mountOptions())
                        .volumeMountGroup()
                        .isEmpty();
        boolean fixed = grouped
                && !taken.alreadyHeld()
                && state.pluginProfile(volume.pluginId())
                        .map(PluginProfile::ownership)
                        .filter(OwnershipSettings::fixed)
                        .isPresent();
        boolean lacks = fixed
                && state.facts(volume.pluginId())
                        .map(PluginFacts::capabilities)
                        .filter(known -> known.lacks(NodeCapability.VOLUME_MOUNT_GROUP))
                        .isPresent();
        return lacks
                ? Optional.of(new Rejection.NotAdmitted(
                        volume.key(),
                        claim.allocationId(),
                        new AdmissionDecision.Never(
                                NeverReason.PLUGIN_CANNOT,
                                "the profile of plugin " + volume.pluginId()
                                        + " has ownershipFixed, so nodes do not give its files to a volume mount group, and"
                                        + " the plugin does not offer VOLUME_MOUNT_GROUP; leave the group out, or put the"
                                        + " profile without ownershipFixed")))
                : Optional.empty();
    }
}
