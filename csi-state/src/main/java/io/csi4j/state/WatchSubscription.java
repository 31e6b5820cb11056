package io.csi4j.state;

import io.csi4j.core.state.StateScope;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * A watch that notifies its listener repeatedly, one call at a time. All changes during a call become one notification with the newest
 * index, so that a slow listener uses at most one thread.
 */
final class WatchSubscription extends ListenerWatch {
    private static final long IDLE = -1;

    private final LongConsumer listener;
    /** The index of the next notification, or {@link #IDLE} if no notification is scheduled. */
    private final AtomicLong pending = new AtomicLong(IDLE);

    WatchSubscription(WatchRegistry registry, StateScope scope, long index, LongConsumer listener, Notifier notifier) {
        super(registry, scope, index, notifier);
        this.listener = listener;
    }

    @Override
    public void changed(long index) {
        called();
        // Keeps the higher index, because the watch's first notification may arrive after that of a later commit.
        if (pending.getAndAccumulate(index, Math::max) == IDLE) {
            run(this::notifyListener);
        }
    }

    private void notifyListener() {
        long index = pending.get();
        while (true) {
            long now = index;
            call(() -> listener.accept(now));
            if (pending.compareAndSet(index, IDLE)) {
                return;
            }
            index = pending.get();
        }
    }
}
