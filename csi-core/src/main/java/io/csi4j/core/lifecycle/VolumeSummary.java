package io.csi4j.core.lifecycle;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.plugin.PluginView;
import io.csi4j.core.volume.ClassOrigin;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeOwner;
import io.csi4j.core.volume.VolumePhase;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A volume in a list. {@link ManagedVolumes#get} returns more to callers who may read the volume.
 *
 * @param key the key of the volume
 * @param phase the phase of the volume, for example CREATING
 * @param plugin an {@linkplain PluginView#outline() outline} of its plugin: provider, version, and the number of healthy
 *     instances
 * @param classOrigin the class from which the volume was made; empty if it was made without a class
 * @param owner the allocation or workload to which the volume belongs; empty for a persistent volume, and if the caller
 *     may not read the volume
 * @param retainedSince the time when the workload ended that the volume outlives; empty if the volume is not retained
 * @param capacityBytes the size that the provider reported, in bytes; 0 if it is not known
 * @param access the access modes and types that the volume allows
 * @param use the access mode and type that all its claims have; empty if it has no claims
 * @param fsType the declared type of the file system; empty if none is declared
 * @param mountFlags the number of declared mount flags; the flags themselves are not shown
 * @param taken the number of claims that are taken
 * @param releasing the number of claims that are being released
 * @param waiting the number of claim requests that wait for the volume; 0 on an engine that does not lead
 * @param health ABNORMAL if this server knows a problem of the volume; HEALTHY if it knows none, and the plugin has
 *     reported so; otherwise NOT_REPORTED. Listing asks no plugin and no node; {@link ManagedVolumes#health} does
 * @param problems the causes of ABNORMAL, for operators: the plugin's last report, calls that fail, and reports of nodes;
 *     empty if the caller may not read the volume
 */
public record VolumeSummary(
        VolumeKey key,
        VolumePhase phase,
        PluginView plugin,
        Optional<ClassOrigin> classOrigin,
        Optional<VolumeOwner> owner,
        Optional<Instant> retainedSince,
        long capacityBytes,
        List<RequestedCapability> access,
        Optional<RequestedCapability> use,
        String fsType,
        int mountFlags,
        int taken,
        int releasing,
        int waiting,
        HealthVerdict health,
        List<String> problems) {
    /** Copies the lists, so that later changes of the caller's lists have no effect. */
    public VolumeSummary {
        Objects.requireNonNull(key, "key");
        Objects.requireNonNull(phase, "phase");
        Objects.requireNonNull(plugin, "plugin");
        Objects.requireNonNull(classOrigin, "classOrigin");
        Objects.requireNonNull(owner, "owner");
        Objects.requireNonNull(retainedSince, "retainedSince");
        access = List.copyOf(access);
        Objects.requireNonNull(use, "use");
        Objects.requireNonNull(fsType, "fsType");
        Objects.requireNonNull(health, "health");
        problems = List.copyOf(problems);
    }

    /** Returns the plugin of the volume. */
    public PluginId pluginId() {
        return plugin.pluginId();
    }

    /** Returns whether the plugin's health now allows a claim on the volume on at least one node. */
    public boolean schedulable() {
        return plugin.schedulable();
    }
}
