package io.csi4j.core.lifecycle.blocking;

import io.csi4j.core.csi.CapacityRange;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.AbnormalVolume;
import io.csi4j.core.lifecycle.ExpandResult;
import io.csi4j.core.lifecycle.ExternalPage;
import io.csi4j.core.lifecycle.ManagedVolumes;
import io.csi4j.core.lifecycle.VolumeHealthReport;
import io.csi4j.core.lifecycle.VolumeSummaries;
import io.csi4j.core.rpc.GetCapacityRequest;
import io.csi4j.core.rpc.GetCapacityResponse;
import io.csi4j.core.rpc.ListVolumesResponse;
import io.csi4j.core.rpc.NodeGetVolumeStatsResponse;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.state.VolumeView;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import java.util.Map;
import java.util.Optional;

/**
 * The operations on volumes, for callers that block. Each method waits for the operation of the same name in
 * {@link ManagedVolumes}; see {@link BlockingLifecycle}.
 */
public final class BlockingVolumes {
    private final ManagedVolumes view;

    BlockingVolumes(ManagedVolumes view) {
        this.view = view;
    }

    /** Waits for {@link ManagedVolumes#register(VolumeKey, VolumeSpec)}. */
    public Volume register(VolumeKey key, VolumeSpec spec) {
        return Waiting.on(view.register(key, spec));
    }

    /** Waits for {@link ManagedVolumes#create(VolumeKey, VolumeSpec)}. */
    public Volume create(VolumeKey key, VolumeSpec spec) {
        return Waiting.on(view.create(key, spec));
    }

    /** Waits for {@link ManagedVolumes#delete(VolumeKey)}. */
    public void delete(VolumeKey key) {
        Waiting.on(view.delete(key));
    }

    /** Waits for {@link ManagedVolumes#deregister(VolumeKey)}. */
    public void deregister(VolumeKey key) {
        Waiting.on(view.deregister(key));
    }

    /** Waits for {@link ManagedVolumes#expand(VolumeKey, CapacityRange)}. */
    public ExpandResult expand(VolumeKey key, CapacityRange range) {
        return Waiting.on(view.expand(key, range));
    }

    /** Waits for {@link ManagedVolumes#modify(VolumeKey, Map)}. */
    public Volume modify(VolumeKey key, Map<String, String> mutableParameters) {
        return Waiting.on(view.modify(key, mutableParameters));
    }

    /** Waits for {@link ManagedVolumes#get(VolumeKey)}. */
    public Optional<VolumeView> get(VolumeKey key) {
        return Waiting.on(view.get(key));
    }

    /** Waits for {@link ManagedVolumes#list(VolumeQuery)}. */
    public VolumeSummaries list(VolumeQuery query) {
        return Waiting.on(view.list(query));
    }

    /** Waits for {@link ManagedVolumes#listExternal(PluginId, int, String)}. */
    public ExternalPage<ListVolumesResponse.Entry> listExternal(PluginId plugin, int maxEntries, String token) {
        return Waiting.on(view.listExternal(plugin, maxEntries, token));
    }

    /** Waits for {@link ManagedVolumes#capacity(PluginId, GetCapacityRequest)}. */
    public GetCapacityResponse capacity(PluginId plugin, GetCapacityRequest request) {
        return Waiting.on(view.capacity(plugin, request));
    }

    /** Waits for {@link ManagedVolumes#health(VolumeKey)}. */
    public VolumeHealthReport health(VolumeKey key) {
        return Waiting.on(view.health(key));
    }

    /** Waits for {@link ManagedVolumes#health(VolumeKey, AllocationId)}. */
    public VolumeHealthReport health(VolumeKey key, AllocationId allocationId) {
        return Waiting.on(view.health(key, allocationId));
    }

    /** Waits for {@link ManagedVolumes#stats(VolumeKey, AllocationId)}. */
    public NodeGetVolumeStatsResponse stats(VolumeKey key, AllocationId allocationId) {
        return Waiting.on(view.stats(key, allocationId));
    }

    /** Waits for {@link ManagedVolumes#listAbnormal(PluginId, int, String)}. */
    public ExternalPage<AbnormalVolume> listAbnormal(PluginId plugin, int maxEntries, String token) {
        return Waiting.on(view.listAbnormal(plugin, maxEntries, token));
    }
}
