package io.csi4j.client.internal.socket;

import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A costly object that several clients use together. It is created for the first client and closed with the last one. */
public final class SharedResource<T> {
    private final Supplier<T> open;
    private final Consumer<T> close;
    private @Nullable T value;
    private int leases;

    public SharedResource(Supplier<T> open, Consumer<T> close) {
        this.open = open;
        this.close = close;
    }

    /** Returns the right to use the object until the lease is closed. */
    public synchronized Lease<T> lease() {
        T leased = value;
        if (leased == null) {
            leased = open.get();
            value = leased;
        }
        leases++;
        return new Lease<>(this, leased);
    }

    private synchronized void end() {
        T last = value;
        leases--;
        if (leases == 0 && last != null) {
            value = null;
            close.accept(last);
        }
    }

    /** The right of one client to use the shared object. */
    public static final class Lease<T> implements AutoCloseable {
        private final SharedResource<T> owner;
        private final T value;
        private final AtomicBoolean closed = new AtomicBoolean();

        private Lease(SharedResource<T> owner, T value) {
            this.owner = owner;
            this.value = value;
        }

        public T get() {
            return value;
        }

        @Override
        public void close() {
            if (closed.compareAndSet(false, true)) {
                owner.end();
            }
        }
    }
}
