package io.csi4j.client.registry;

import io.csi4j.client.registry.instance.InstanceFacts;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.PluginSnapshot;
import java.util.Optional;
import java.util.function.Consumer;

/** Creates connections to plugin instances; a connection does nothing before it is started. */
@FunctionalInterface
interface ConnectionFactory {
    PluginConnection connect(
            PluginRegistration registration, Optional<InstanceFacts> known, Consumer<PluginSnapshot> listener);
}
