package io.csi4j.core.lifecycle.internal.claim;

import io.csi4j.core.cluster.Allocation;
import io.csi4j.core.csi.VolumeContext;
import io.csi4j.core.internal.check.CsiLimits;
import io.csi4j.core.plugin.PluginProfile;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

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
        Map<String, String> info = new TreeMap<>();
        info.put(CsiLimits.RESERVED_PREFIX + "pod.name", allocation.id().value());
        info.put(
                CsiLimits.RESERVED_PREFIX + "pod.namespace",
                allocation.namespace().value());
        info.put(CsiLimits.RESERVED_PREFIX + "pod.uid", uid(allocation));
        info.put(CsiLimits.RESERVED_PREFIX + "ephemeral", Boolean.toString(volume.isInline()));
        // Unknown is not an empty name.
        allocation
                .account()
                .ifPresent(account -> info.put(CsiLimits.RESERVED_PREFIX + "serviceAccount.name", account.value()));
        return VolumeContext.of(info);
    }

    /**
     * Returns the uid of an allocation. Plugins keep what they make under it, so an allocation that got the id of a forgotten
     * one has another uid.
     */
    private static String uid(Allocation allocation) {
        String id = allocation.id().value();
        return allocation.createIndex() == 0
                ? id
                : UUID.nameUUIDFromBytes((allocation.createIndex() + "/" + id).getBytes(StandardCharsets.UTF_8))
                        .toString();
    }
}
