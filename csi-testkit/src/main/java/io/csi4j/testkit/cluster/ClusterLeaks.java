package io.csi4j.testkit.cluster;

import io.csi4j.core.csi.ExternalVolumeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Volume;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.history.Leak;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/** Compares the storages of a cluster with its state. */
final class ClusterLeaks {
    private ClusterLeaks() {}

    /**
     * Returns a sentence for each thing that should have been removed.
     *
     * @param instance returns an instance of a plugin, if there is one; all instances of a plugin see the same storage
     */
    static List<String> of(
            StateReader state, Set<PluginId> plugins, Function<PluginId, Optional<FakeCsiPlugin>> instance) {
        List<String> leaks = new ArrayList<>();
        state.unsettledVolumes().forEach(key -> leaks.add("volume " + key + " has remaining work"));
        for (PluginId plugin : plugins) {
            instance.apply(plugin).stream()
                    .flatMap(any -> any.leaks().stream())
                    .filter(leak -> !isExplained(state, plugin, leak))
                    .forEach(leak -> leaks.add(leak.toString()));
        }
        return leaks;
    }

    private static boolean isExplained(StateReader state, PluginId plugin, Leak leak) {
        Optional<Volume> volume =
                state.volumeByExternalId(plugin, ExternalVolumeId.of(leak.id())).flatMap(state::volume);
        return leak.kind() == Leak.Kind.VOLUME
                ? volume.isPresent()
                : volume.filter(row -> !row.claims().isEmpty()).isPresent();
    }
}
