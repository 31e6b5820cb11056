package io.csi4j.client.registry.internal.connection;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.csi4j.client.internal.transport.ElapsedTime;
import io.csi4j.core.rpc.GetPluginCapabilitiesResponse;
import io.csi4j.core.rpc.GetPluginInfoResponse;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * The capabilities of plugins by name and version. All instances of a version have the same capabilities (R38), so only one instance is
 * queried.
 */
public final class CapabilityCache {
    private static final int MAX_SIZE = 1_000;
    private static final Duration KEPT = Duration.ofHours(1);

    private final Cache<Version, GetPluginCapabilitiesResponse> reported;

    private record Version(String name, String vendorVersion) {}

    public CapabilityCache(ElapsedTime elapsed) {
        this.reported = Caffeine.newBuilder()
                .maximumSize(MAX_SIZE)
                .expireAfterWrite(KEPT)
                .ticker(elapsed::nanos)
                .executor(Runnable::run)
                .build();
    }

    /** Returns the last response of this version of the plugin; null: none, or the plugin reports no version. */
    public @Nullable GetPluginCapabilitiesResponse of(GetPluginInfoResponse plugin) {
        return plugin.vendorVersion().isEmpty()
                ? null
                : reported.getIfPresent(new Version(plugin.name(), plugin.vendorVersion()));
    }

    public void put(GetPluginInfoResponse plugin, GetPluginCapabilitiesResponse capabilities) {
        if (!plugin.vendorVersion().isEmpty()) {
            reported.put(new Version(plugin.name(), plugin.vendorVersion()), capabilities);
        }
    }
}
