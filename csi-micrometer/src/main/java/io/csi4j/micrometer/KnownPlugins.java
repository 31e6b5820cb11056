package io.csi4j.micrometer;

import io.csi4j.core.id.PluginId;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import io.micrometer.core.instrument.MeterRegistry;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The meters of the plugins that are registered in the state. All other plugins share one set of meters with the tag
 * value {@code unknown}. This limits the number of meters. Thread-safe.
 */
final class KnownPlugins {
    static final String UNKNOWN = "unknown";

    private final Map<PluginId, PluginMeters> known = new ConcurrentHashMap<>();
    private final MeterRegistry registry;
    private final PluginMeters unknown;
    private volatile @Nullable ObservableState state;

    KnownPlugins(MeterRegistry registry) {
        this.registry = registry;
        this.unknown = new PluginMeters(registry, UNKNOWN);
    }

    void state(ObservableState state) {
        this.state = state;
    }

    PluginMeters of(PluginId pluginId) {
        PluginMeters meters = known.get(pluginId);
        if (meters != null) {
            return meters;
        }
        ObservableState source = state;
        return source != null && has(source.snapshot(), pluginId)
                ? known.computeIfAbsent(pluginId, id -> new PluginMeters(registry, id.value()))
                : unknown;
    }

    private static boolean has(StateReader state, PluginId pluginId) {
        return state.facts(pluginId).isPresent()
                || state.instancesOf(pluginId).iterator().hasNext()
                || state.deploymentsOf(pluginId).iterator().hasNext();
    }

    /** Removes the meters of plugins that the state does not have any more. */
    void retain(Set<PluginId> present) {
        known.values().removeIf(meters -> {
            boolean gone = !present.contains(meters.pluginId());
            if (gone) {
                meters.remove();
            }
            return gone;
        });
    }

    void close() {
        retain(Set.of());
        unknown.remove();
    }
}
