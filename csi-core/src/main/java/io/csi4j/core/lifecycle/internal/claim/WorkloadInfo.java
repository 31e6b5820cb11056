package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.internal.check.CsiLimits;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.util.Map;

/**
 * The entries about the workload that NodePublishVolume has in its volume context for plugins made for Kubernetes. They
 * follow from the allocation and the volume, so each server computes the same. The node keeps them with the mount, so that a
 * repeated call has the same fields after the profile was changed (R29).
 */
final class WorkloadInfo {
    private WorkloadInfo() {}

    /** Returns the information about an allocation for a volume; empty if the plugin's profile asks for none. */
    static VolumeContext of(StateReader state, Allocation allocation, Volume volume) {
        boolean wanted = state.pluginProfile(volume.pluginId())
                .filter(PluginProfile::workloadInfo)
                .isPresent();
        if (!wanted) {
            return VolumeContext.empty();
        }
        // The state has no principal of a workload, so there is no serviceAccount.name. Unknown is not an empty name.
        return VolumeContext.of(Map.of(
                CsiLimits.RESERVED_PREFIX + "pod.name", allocation.id().value(),
                CsiLimits.RESERVED_PREFIX + "pod.namespace",
                        allocation.namespace().value(),
                CsiLimits.RESERVED_PREFIX + "pod.uid", allocation.id().value(),
                CsiLimits.RESERVED_PREFIX + "ephemeral", Boolean.toString(volume.isInline())));
    }
}
