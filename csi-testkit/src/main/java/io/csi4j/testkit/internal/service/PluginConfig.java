package io.csi4j.testkit.internal.service;

import io.csi4j.testkit.capability.FakeCapability;
import io.csi4j.testkit.internal.node.FakeInlineVolumes;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a plugin, without its storage.
 *
 * @param name the name for GetPluginInfo
 * @param vendorVersion the version for GetPluginInfo
 * @param nodeId the id for NodeGetInfo
 * @param segments the topology of the node; empty: none
 * @param attachLimit the volume limit for NodeGetInfo at the start; zero: none
 * @param capabilities the capabilities that are on
 * @param maxPageSize the largest page of a listing; zero: no limit
 * @param mutableParameters the keys of parameters that can be modified
 * @param sizeUnit the unit of sizes: volumes have a multiple of it
 * @param inline the rules for inline volumes; null: the plugin is not one for inline volumes
 */
public record PluginConfig(
        String name,
        String vendorVersion,
        String nodeId,
        Map<String, String> segments,
        long attachLimit,
        Set<FakeCapability> capabilities,
        int maxPageSize,
        Set<String> mutableParameters,
        long sizeUnit,
        FakeInlineVolumes.@Nullable Rules inline) {

    public PluginConfig {
        segments = Map.copyOf(segments);
        capabilities = Set.copyOf(capabilities);
        mutableParameters = Set.copyOf(mutableParameters);
    }

    boolean has(FakeCapability capability) {
        return capabilities.contains(capability);
    }
}
