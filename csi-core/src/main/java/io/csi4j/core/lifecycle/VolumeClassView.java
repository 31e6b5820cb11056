package io.csi4j.core.lifecycle;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.csi.Topology;
import io.csi4j.core.id.Namespace;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeClassName;
import io.csi4j.core.volume.CapacityCheck;
import io.csi4j.core.volume.FencingPolicy;
import io.csi4j.core.volume.ReclaimPolicy;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeBinding;
import io.csi4j.core.volume.VolumeClass;
import io.csi4j.core.volume.VolumeKind;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedSet;

/**
 * A volume class as callers see it. Parameters, mount flags and secrets are counted and not shown.
 *
 * @param name the name
 * @param pluginId the plugin of its volumes
 * @param requestedCapabilities the access modes and types of its volumes
 * @param fsType the declared type of the file system; empty if none is declared
 * @param defaultCapacity the size of volumes that are made without a size; empty if there is none
 * @param leastBytes the least size that can be requested, in bytes; 0 for no limit
 * @param greatestBytes the greatest size that can be requested, in bytes; 0 for no limit
 * @param allowedTopologies the topologies in which its volumes may be made; empty for all
 * @param binding who chooses the place of a volume that is created without a claim
 * @param reclaim the policy for volumes whose owner ends
 * @param fencingPolicy the policy for nodes that are down; empty if not declared
 * @param namespaces the namespaces that may use the class, in their order; empty for all. A caller without MANAGEMENT sees
 *     only the namespace of the request
 * @param capacityCheck what the free capacity that the plugin reports means for placements
 * @param parameters the number of parameters
 * @param mutableParameters the number of mutable parameters
 * @param mountFlags the number of mount flags
 * @param secrets the number of secrets
 * @param kind how its volumes come into being
 * @param attributeKeys the keys of attributes that templates may give for inline volumes, in their order
 * @param ephemeral whether NodePublishVolume says that the volume is inline, for plugins that create volumes, too
 * @param useByTemplate whether claims may make its volumes
 * @param createIndex the incarnation: the index of the command that added the class
 * @param modifyIndex the index of the last command that changed the class
 */
public record VolumeClassView(
        VolumeClassName name,
        PluginId pluginId,
        List<RequestedCapability> requestedCapabilities,
        String fsType,
        Optional<CapacityRange> defaultCapacity,
        long leastBytes,
        long greatestBytes,
        List<Topology> allowedTopologies,
        VolumeBinding binding,
        ReclaimPolicy reclaim,
        Optional<FencingPolicy> fencingPolicy,
        List<Namespace> namespaces,
        CapacityCheck capacityCheck,
        int parameters,
        int mutableParameters,
        int mountFlags,
        int secrets,
        VolumeKind kind,
        List<String> attributeKeys,
        boolean ephemeral,
        boolean useByTemplate,
        long createIndex,
        long modifyIndex) {
    public VolumeClassView {
        Objects.requireNonNull(name, "name");
        Objects.requireNonNull(pluginId, "pluginId");
        requestedCapabilities = List.copyOf(requestedCapabilities);
        Objects.requireNonNull(fsType, "fsType");
        Objects.requireNonNull(defaultCapacity, "defaultCapacity");
        allowedTopologies = List.copyOf(allowedTopologies);
        Objects.requireNonNull(binding, "binding");
        Objects.requireNonNull(reclaim, "reclaim");
        Objects.requireNonNull(fencingPolicy, "fencingPolicy");
        namespaces = List.copyOf(namespaces);
        Objects.requireNonNull(capacityCheck, "capacityCheck");
        Objects.requireNonNull(kind, "kind");
        attributeKeys = List.copyOf(attributeKeys);
    }

    /** Returns the view of a class with the given ones of its namespaces. */
    static VolumeClassView of(VolumeClass row, SortedSet<Namespace> namespaces) {
        return new VolumeClassView(
                row.name(),
                row.pluginId(),
                row.requestedCapabilities(),
                row.mountOptions().fsType(),
                row.defaultCapacity(),
                row.leastBytes(),
                row.greatestBytes(),
                row.allowedTopologies(),
                row.binding(),
                row.reclaim(),
                row.declaredFencingPolicy(),
                List.copyOf(namespaces),
                row.capacityCheck(),
                row.parameters().size(),
                row.mutableParameters().size(),
                row.mountOptions().mountFlags().asList().size(),
                row.secrets().asMap().size(),
                row.kind(),
                List.copyOf(row.attributeKeys()),
                row.ephemeral(),
                row.useByTemplate(),
                row.createIndex(),
                row.modifyIndex());
    }
}
