package io.csi4j.registry;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.registry.internal.connection.Coalesced;
import java.lang.System.Logger;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** One listener: it is handed the newest picture whenever it is ready for one. */
final class Subscriber implements Cancellable {
    private static final Logger LOG = System.getLogger(Subscriber.class.getName());

    private final PluginListener listener;
    private final Supplier<RegistrySnapshot> newest;
    private final Coalesced deliveries;
    private volatile boolean cancelled;
    /** What the listener has; in deliveries only. */
    private @Nullable RegistrySnapshot delivered;

    Subscriber(Executor executor, PluginListener listener, Supplier<RegistrySnapshot> newest) {
        this.listener = listener;
        this.newest = newest;
        this.deliveries = new Coalesced(executor, this::deliver, () -> {});
    }

    void nudge() {
        if (!cancelled) {
            deliveries.ask();
        }
    }

    private void deliver() {
        RegistrySnapshot before = delivered;
        RegistrySnapshot now = newest.get();
        if (cancelled || (before != null && before.version() == now.version())) {
            return;
        }
        delivered = now;
        List<PluginChange> changes = PluginChange.between(before == null ? List.of() : before.instances(), now);
        try {
            listener.pictured(now, changes);
        } catch (RuntimeException broken) {
            LOG.log(Logger.Level.WARNING, "a listener to plugins failed; it is told of later changes", broken);
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
    }
}
