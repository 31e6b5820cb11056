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

    private final Map<QueueKey, VolumeQueue> lanes = new ConcurrentHashMap<>();
    private final LongSupplier nanoTime;
    private final Timer timer;
    private final long holdNanos;
    private long lastSweep;

    VolumeOrdering(RetryEnvironment surroundings, Duration hold) {
        this.nanoTime = surroundings.nanoTime();
        this.timer = surroundings.timer();
        this.holdNanos = hold.toNanos();
        this.lastSweep = nanoTime.getAsLong();
    }

    void enter(QueueKey key, QueuedCall turn) {
        while (true) {
            VolumeQueue lane = lanes.computeIfAbsent(key, unknown -> new VolumeQueue(holdNanos));
            Runnable told = lane.enter(turn, nanoTime.getAsLong());
            if (told != null) {
                told.run();
                tidy(key, lane);
                return;
            }
            lanes.remove(key, lane);
        }
    }

    void leave(QueueKey key, CallTarget call, QueueExit end) {
        VolumeQueue lane = lanes.get(key);
        if (lane == null) {
            throw new IllegalStateException("nobody is in the lane of " + call.description());
        }
        // Not on this stack, because calls that fail at once would nest.
        lane.leave(call, end, nanoTime.getAsLong()).forEach(told -> {
            var unused = timer.schedule(Duration.ZERO, told);
        });
        tidy(key, lane);
        if (end == QueueExit.UNKNOWN) {
            sweep();
        }
    }

    boolean withdraw(QueueKey key, QueuedCall turn) {
        VolumeQueue lane = lanes.get(key);
        return lane != null && lane.withdraw(turn);
    }

    /** Returns the running call as text; empty: none. */
    String currently(QueueKey key) {
        VolumeQueue lane = lanes.get(key);
        return lane == null ? "" : lane.currently();
    }

    List<OutstandingCall> outstanding() {
        long now = nanoTime.getAsLong();
        List<OutstandingCall> all = new ArrayList<>();
        lanes.forEach((key, lane) -> {
            UnknownOutcome hold = lane.outstanding(now);
            if (hold != null) {
                all.add(new OutstandingCall(hold.rpc(), key.id(), hold.place(), Duration.ofNanos(now - hold.since())));
            }
        });
        return all;
    }

    /** Removes the unknown outcomes of a subject of any kind. */
    void forget(String subject) {
        lanes.forEach((key, lane) -> {
            if (key.id().equals(subject)) {
                lane.forget();
                tidy(key, lane);
            }
        });
    }

    /** Returns the number of queues. */
    int size() {
        return lanes.size();
    }

    private void tidy(QueueKey key, VolumeQueue lane) {
        if (lane.retire(nanoTime.getAsLong())) {
            lanes.remove(key, lane);
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
        lanes.forEach(this::tidy);
    }
}
