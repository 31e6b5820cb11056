package io.csi4j.state;

import io.csi4j.core.state.StateScope;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongConsumer;

/**
 * A watch with repeated notifications, one at a time. Changes during a call become one notification with the newest index, so a slow listener uses one thread at most.
 */
final class WatchSubscription extends ListenerWatch {
    private static final long IDLE = -1;

    private final LongConsumer listener;
    /** The index to notify, or {@link #IDLE} if no notification is scheduled. */
    private final AtomicLong pending = new AtomicLong(IDLE);

    WatchSubscription(WatchRegistry registry, StateScope scope, long seen, LongConsumer listener, Notifier notifier) {
        super(registry, scope, seen, notifier);
        this.listener = listener;
    }

    @Override
    public void changed(long index) {
        called();
        // The first notification and a commit may come in either order; the later index counts.
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
