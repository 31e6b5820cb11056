package io.csi4j.testkit.internal.service;

import io.csi4j.testkit.capability.FakeCapability;
import java.util.Map;
import java.util.Set;

/**
 * What a plugin is, apart from its storage.
 *
 * @param name as GetPluginInfo tells it
 * @param vendorVersion as GetPluginInfo tells it
 * @param nodeId as NodeGetInfo tells it
 * @param segments the topology of the node; empty for none
 * @param attachLimit as NodeGetInfo tells it when the plugin starts; zero for none
 * @param capabilities that are on
 * @param maxPageSize the most rows of a list told at once; zero for no limit
 * @param mutableParameters the keys that can be modified
 */
public record PluginConfig(
        String name,
        String vendorVersion,
        String nodeId,
        Map<String, String> segments,
        long attachLimit,
        Set<FakeCapability> capabilities,
        int maxPageSize,
        Set<String> mutableParameters) {

    /** Copies the collections. */
    public PluginConfig {
        segments = Map.copyOf(segments);
        capabilities = Set.copyOf(capabilities);
        mutableParameters = Set.copyOf(mutableParameters);
    }

    boolean has(FakeCapability capability) {
        return capabilities.contains(capability);
    }
}
