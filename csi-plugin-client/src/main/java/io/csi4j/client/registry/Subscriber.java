package io.csi4j.client.registry;

import io.csi4j.client.registry.internal.connection.RegistryEnvironment;
import io.csi4j.core.internal.concurrent.SerialExecutor;
import io.csi4j.core.spi.Cancellable;
import java.lang.System.Logger;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Delivers the snapshots of the registry to one listener. A slow listener misses intermediate snapshots. */
final class Subscriber implements Cancellable {
    private static final Logger LOG = System.getLogger(Subscriber.class.getName());

    private final PluginListener listener;
    private final Supplier<RegistrySnapshot> newest;
    private final RegistryEnvironment environment;
    private final SerialExecutor deliveries;
    /**
     * Whether a delivery is queued and has not begun. If so, a change needs no further delivery, because the delivery
     * reads the newest snapshot when it begins.
     */
    private final AtomicBoolean waiting = new AtomicBoolean();

    private volatile boolean cancelled;
    /** The snapshot that was delivered last; used in deliveries only. */
    private @Nullable RegistrySnapshot delivered;

    Subscriber(RegistryEnvironment environment, PluginListener listener, Supplier<RegistrySnapshot> newest) {
        this.listener = listener;
        this.newest = newest;
        this.environment = environment;
        this.deliveries = environment.serialExecutor();
    }

    void nudge() {
        if (!cancelled && waiting.compareAndSet(false, true)) {
            environment.execute(deliveries, this::deliver, () -> waiting.set(false));
        }
    }

    private void deliver() {
        // Resets the flag before the snapshot is read, so that a change after the reading requests another delivery.
        waiting.set(false);
        RegistrySnapshot before = delivered;
        RegistrySnapshot now = newest.get();
        if (cancelled || (before != null && before.version() == now.version())) {
            return;
        }
        delivered = now;
        List<PluginChange> changes = PluginChange.between(before == null ? List.of() : before.instances(), now);
        try {
            listener.changed(now, changes);
        } catch (RuntimeException | Error broken) {
            LOG.log(Logger.Level.WARNING, "A listener to plugins failed; it gets later changes", broken);
        }
    }

    @Override
    public void cancel() {
        cancelled = true;
    }
}
