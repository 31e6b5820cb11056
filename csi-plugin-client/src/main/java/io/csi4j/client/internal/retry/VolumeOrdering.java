package io.csi4j.client.internal.retry;

import io.csi4j.client.retry.OutstandingCall;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/** The queues of all volumes; a volume has one while a call runs or waits, or while an outcome is unknown. */
final class VolumeOrdering {
    /** The number of scans for expired outcomes within their time. */
    private static final int SWEEPS = 4;

    private final Map<QueueKey, VolumeQueue> queues = new ConcurrentHashMap<>();
    private final LongSupplier nanoTime;
    private final Timer timer;
    private final long holdNanos;
    private long lastSweep;

    VolumeOrdering(RetryEnvironment environment, Duration hold) {
        this.nanoTime = environment.nanoTime();
        this.timer = environment.timer();
        this.holdNanos = hold.toNanos();
        this.lastSweep = nanoTime.getAsLong();
    }

    void enter(QueueKey key, QueuedCall turn) {
        while (true) {
            VolumeQueue queue = queues.computeIfAbsent(key, unknown -> new VolumeQueue(holdNanos));
            Runnable told = queue.enter(turn, nanoTime.getAsLong());
            if (told != null) {
                told.run();
                tidy(key, queue);
                return;
            }
            queues.remove(key, queue);
        }
    }

    void leave(QueueKey key, CallTarget call, QueueExit end) {
        VolumeQueue queue = queues.get(key);
        if (queue == null) {
            throw new IllegalStateException("nobody is in the queue of " + call.description());
        }
        // Not on this stack, because calls that fail at once would nest.
        queue.leave(call, end, nanoTime.getAsLong()).forEach(told -> {
            var unused = timer.schedule(Duration.ZERO, told);
        });
        tidy(key, queue);
        if (end == QueueExit.UNKNOWN) {
            sweep();
        }
    }

    boolean withdraw(QueueKey key, QueuedCall turn) {
        VolumeQueue queue = queues.get(key);
        return queue != null && queue.withdraw(turn);
    }

    /** Returns the running call as text; empty: none. */
    String currently(QueueKey key) {
        VolumeQueue queue = queues.get(key);
        return queue == null ? "" : queue.currently();
    }

    List<OutstandingCall> outstanding() {
        long now = nanoTime.getAsLong();
        List<OutstandingCall> all = new ArrayList<>();
        queues.forEach((key, queue) -> {
            UnknownOutcome hold = queue.outstanding(now);
            if (hold != null) {
                all.add(new OutstandingCall(hold.rpc(), key.id(), hold.place(), Duration.ofNanos(now - hold.since())));
            }
        });
        return all;
    }

    /** Removes the unknown outcomes of a subject of any kind. */
    void forget(String subject) {
        queues.forEach((key, queue) -> {
            if (key.id().equals(subject)) {
                queue.forget();
                tidy(key, queue);
            }
        });
    }

    /** Returns the number of queues. */
    int size() {
        return queues.size();
    }

    private void tidy(QueueKey key, VolumeQueue queue) {
        if (queue.retire(nanoTime.getAsLong())) {
            queues.remove(key, queue);
        }
    }

    /** Removes queues of volumes without further calls, so that they do not fill the memory. */
    private void sweep() {
        long now = nanoTime.getAsLong();
        synchronized (this) {
            if (now - lastSweep < holdNanos / SWEEPS) {
                return;
            }
            lastSweep = now;
        }
        queues.forEach(this::tidy);
    }
}
