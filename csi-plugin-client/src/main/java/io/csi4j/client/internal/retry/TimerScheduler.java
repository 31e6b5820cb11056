package io.csi4j.client.internal.retry;

import dev.failsafe.spi.Scheduler;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Adapts the timer to Failsafe. */
record TimerScheduler(Timer timer) implements Scheduler {
    @Override
    public ScheduledFuture<?> schedule(Callable<?> callable, long delay, TimeUnit unit) {
        Scheduled<?> scheduled = new Scheduled<>(callable, unit.toNanos(delay));
        scheduled.planned(timer.schedule(Duration.ofNanos(unit.toNanos(delay)), scheduled));
        return scheduled;
    }

    private static final class Scheduled<V> extends FutureTask<V> implements ScheduledFuture<V> {
        private final long delayNanos;
        private volatile @Nullable Cancellable plan;

        Scheduled(Callable<V> work, long delayNanos) {
            super(work);
            this.delayNanos = delayNanos;
        }

        void planned(Cancellable timers) {
            plan = timers;
            if (isCancelled()) {
                timers.cancel();
            }
        }

        @Override
        protected void done() {
            Cancellable timers = plan;
            if (isCancelled() && timers != null) {
                timers.cancel();
            }
        }

        /** Returns the requested delay; nothing here reads the remaining one. */
        @Override
        public long getDelay(TimeUnit unit) {
            return unit.convert(delayNanos, TimeUnit.NANOSECONDS);
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }
    }
}
