package io.csi4j.registry;

import io.csi4j.core.capability.Capabilities;
import io.csi4j.registry.instance.InstanceFacts;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What an instance has announced by now, for its client, which is there before its connection is. */
final class LazyCapabilities implements Supplier<Capabilities> {
    private volatile @Nullable PluginConnection connection;

    void toldBy(PluginConnection made) {
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
