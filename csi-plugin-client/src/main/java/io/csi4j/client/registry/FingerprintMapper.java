package io.csi4j.client.registry;

import io.csi4j.client.registry.instance.PluginSnapshot;
import io.csi4j.core.plugin.PluginInstance;

/** Maps a registered plugin instance to its entry in a fingerprint. */
final class FingerprintMapper {
    private FingerprintMapper() {}

    /** Returns the entry for a plugin in its node's fingerprint. The caller sets the time of the report. */
    static PluginInstance of(RegisteredPlugin plugin) {
        PluginSnapshot snapshot = plugin.snapshot();
        PluginInstance.Builder instance = PluginInstance.builder(
                        plugin.registration().key(), plugin.registeredAt())
                .health(snapshot.ready(), snapshot.description())
                .updatedAt(plugin.registeredAt())
                // An instance is ready only after it has reported its facts.
                .proved(snapshot.facts().isPresent());
        snapshot.facts()
                .ifPresent(facts -> instance.provider(facts.provider())
                        .vendorVersion(facts.vendorVersion().isEmpty() ? null : facts.vendorVersion())
                        .capabilities(facts.capabilities())
                        .nodeInfo(facts.nodeInfo().orElse(null)));
        return instance.build();
    }

    /** Returns the last fingerprint entry of an instance before the agent stops; the instance is unhealthy for the given reason. */
    static PluginInstance last(RegisteredPlugin plugin, String reason) {
        return of(plugin).toBuilder().health(false, reason).build();
    }
}
