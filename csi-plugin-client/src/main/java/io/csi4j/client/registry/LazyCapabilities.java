package io.csi4j.client.registry;

import io.csi4j.client.registry.instance.InstanceFacts;
import io.csi4j.core.capability.Capabilities;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The capabilities that an instance has reported so far. They are read lazily, because the client is created before the connection that
 * queries them.
 */
final class LazyCapabilities implements Supplier<Capabilities> {
    private volatile @Nullable PluginConnection connection;

    void connect(PluginConnection made) {
        this.connection = made;
    }

    @Override
    public Capabilities get() {
        PluginConnection asked = connection;
        return asked == null
                ? Capabilities.unknown()
                : asked.snapshot().facts().map(InstanceFacts::capabilities).orElseGet(Capabilities::unknown);
    }
}
