package io.csi4j.testkit.cluster;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.VirtualTime;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.random.RandomGenerator;
import org.jspecify.annotations.Nullable;

/** The time of a cluster: virtual time or the time of the system. */
final class ClusterTime implements AutoCloseable {
    private static final long POLL_MILLIS = 5;

    private final @Nullable VirtualTime virtual;
    private final RandomGenerator random;
    /** The environment that all nodes share. Each server has its own environment, which ends with the server. */
    private final Environment nodes;

    ClusterTime(@Nullable VirtualTime virtual, RandomGenerator random) {
        this.virtual = virtual;
        this.random = random;
        this.nodes = newEnvironment();
    }

    /** Creates an environment for one simulated process; closing the environment ends the tasks of that process. */
    Environment newEnvironment() {
        return virtual == null ? Environment.system() : virtual.environment(random);
    }

    Environment nodes() {
        return nodes;
    }

    Clock clock() {
        return nodes.clock();
    }

    Executor executor() {
        return nodes.executor();
    }

    Cancellable after(Duration delay, Runnable task) {
        return nodes.timer().schedule(delay, () -> nodes.executor().execute(task));
    }

    @Nullable VirtualTime virtual() {
        return virtual;
    }

    /**
     * Waits until a condition holds. Virtual time advances second by second; on real time the thread waits.
     *
     * @return true if the condition holds; false if it did not hold within the limit
     */
    boolean waitUntil(BooleanSupplier condition, Duration limit) {
        VirtualTime time = virtual;
        if (time == null) {
            return waitReally(condition, limit);
        }
        time.run();
        Duration end = time.elapsed().plus(limit);
        while (!condition.getAsBoolean()) {
            if (time.elapsed().compareTo(end) >= 0) {
                return false;
            }
            time.advance(Duration.ofSeconds(1));
        }
        return true;
    }

    private boolean waitReally(BooleanSupplier condition, Duration limit) {
        Instant end = clock().instant().plus(limit);
        synchronized (this) {
            while (!condition.getAsBoolean()) {
                if (clock().instant().isAfter(end)) {
                    return false;
                }
                try {
                    TimeUnit.MILLISECONDS.timedWait(this, POLL_MILLIS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    return false;
                }
            }
            return true;
        }
    }

    @Override
    public void close() {
        nodes.close();
    }
}
