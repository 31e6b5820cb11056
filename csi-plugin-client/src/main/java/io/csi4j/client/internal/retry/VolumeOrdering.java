package io.csi4j.client.internal.retry;

import io.csi4j.client.retry.UnresolvedRequest;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongSupplier;

/**
 * The queues of all volumes. A volume has a queue as long as one of its calls runs, waits, or has ended with an unknown
 * outcome.
 */
final class VolumeOrdering {
    /**
     * The highest number of sweeps per block time. The block time is the time for which a call with an unknown outcome
     * blocks its volume; a sweep removes the queues that are no longer needed.
     */
    private static final int SWEEPS = 4;

    private final Map<QueueKey, VolumeQueue> queues = new ConcurrentHashMap<>();
    private final LongSupplier nanoTime;
    private final Timer timer;
    private final long blockNanos;
    private long lastSweep;

    VolumeOrdering(RetryEnvironment environment, Duration outcome) {
        this.nanoTime = environment.nanoTime();
        this.timer = environment.timer();
        this.blockNanos = outcome.toNanos();
        this.lastSweep = nanoTime.getAsLong();
    }

    void enter(QueueKey key, QueuedCall call) {
        while (true) {
            VolumeQueue queue = queues.computeIfAbsent(key, unknown -> new VolumeQueue(blockNanos));
            Runnable notify = queue.enter(call, nanoTime.getAsLong());
            if (notify != null) {
                notify.run();
                tidy(key, queue);
                return;
            }
            queues.remove(key, queue);
        }
    }

    void leave(QueueKey key, CallTarget call, QueueExit end) {
        VolumeQueue queue = queues.get(key);
        if (queue == null) {
            throw new IllegalStateException("no call is in the queue of " + call.description());
        }
        // Notifies the next calls from a separate task, because a long series of calls that fail at once would
        // otherwise recurse and overflow the stack.
        queue.leave(call, end, nanoTime.getAsLong()).forEach(notify -> {
            var unused = timer.schedule(Duration.ZERO, notify);
        });
        tidy(key, queue);
        if (end == QueueExit.UNKNOWN) {
            sweep();
        }
    }

    boolean withdraw(QueueKey key, QueuedCall call) {
        VolumeQueue queue = queues.get(key);
        return queue != null && queue.withdraw(call);
    }

    /** Returns a text about the running call; empty if no call runs. */
    String currently(QueueKey key) {
        VolumeQueue queue = queues.get(key);
        return queue == null ? "" : queue.currently();
    }

    List<UnresolvedRequest> unresolved() {
        long now = nanoTime.getAsLong();
        List<UnresolvedRequest> all = new ArrayList<>();
        queues.forEach((key, queue) -> {
            UnknownOutcome outcome = queue.unresolved(now);
            if (outcome != null) {
                all.add(new UnresolvedRequest(
                        outcome.rpc(), key.id(), outcome.location(), Duration.ofNanos(now - outcome.since())));
            }
        });
        return all;
    }

    /** Removes the unknown outcomes of all subjects with this id, of any kind. */
    void forget(String subject) {
        queues.forEach((key, queue) -> {
            if (key.id().equals(subject)) {
                queue.forget();
                tidy(key, queue);
            }
        });
    }

    int size() {
        return queues.size();
    }

    private void tidy(QueueKey key, VolumeQueue queue) {
        if (queue.retire(nanoTime.getAsLong())) {
            queues.remove(key, queue);
        }
    }

    /**
     * Removes the queues of volumes for which no further calls arrived, so that unused queues do not fill the memory.
     */
    private void sweep() {
        long now = nanoTime.getAsLong();
        synchronized (this) {
            if (now - lastSweep < blockNanos / SWEEPS) {
                return;
            }
            lastSweep = now;
        }
        queues.forEach(this::tidy);
    }
}
