package io.csi4j.registry;

import io.csi4j.registry.instance.InstanceFacts;
import io.csi4j.registry.instance.PluginRegistration;
import io.csi4j.registry.instance.PluginSnapshot;
import java.util.Optional;
import java.util.function.Consumer;

/** Creates connections, which do nothing before they are started. */
@FunctionalInterface
interface ConnectionFactory {
    PluginConnection connect(
            PluginRegistration registration, Optional<InstanceFacts> known, Consumer<PluginSnapshot> listener);
}
