package io.csi4j.client.internal.timer;

import dev.failsafe.spi.Scheduler;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Delayed;
import java.util.concurrent.FutureTask;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs the attempts that Failsafe makes: the first attempt on the thread of the caller, each later attempt on a timer,
 * after its delay. No thread of Failsafe is used. Each policy needs a delay above zero, because Failsafe cancels a later
 * attempt that begins before {@link #schedule} has returned.
 */
public final class TimerScheduler implements Scheduler {
    private final Timer timer;

    public TimerScheduler(Timer timer) {
        this.timer = timer;
    }

    @Override
    public ScheduledFuture<?> schedule(Callable<?> attempt, long delay, TimeUnit unit) {
        Attempt scheduled = new Attempt(attempt);
        if (delay <= 0) {
            try {
                attempt.call();
            } catch (Exception e) {
                throw new CompletionException(e);
            }
        } else {
            scheduled.waitsFor(timer.schedule(Duration.of(delay, unit.toChronoUnit()), scheduled));
        }
        return scheduled;
    }

    /** An attempt. Cancelling it ends its backoff; an attempt that has begun is cancelled by the call itself. */
    private static final class Attempt extends FutureTask<@Nullable Object>
            implements ScheduledFuture<@Nullable Object> {
        private volatile @Nullable Cancellable backoff;

        @SuppressWarnings("unchecked") // the result is not used
        Attempt(Callable<?> attempt) {
            super((Callable<@Nullable Object>) attempt);
        }

        void waitsFor(Cancellable timer) {
            backoff = timer;
            if (isCancelled()) {
                timer.cancel();
            }
        }

        @Override
        protected void done() {
            Cancellable waiting = backoff;
            if (isCancelled() && waiting != null) {
                waiting.cancel();
            }
        }

        /** Returns zero, because Failsafe does not ask for the delay. */
        @Override
        public long getDelay(TimeUnit unit) {
            return 0;
        }

        @Override
        public int compareTo(Delayed other) {
            return Long.compare(getDelay(TimeUnit.NANOSECONDS), other.getDelay(TimeUnit.NANOSECONDS));
        }
    }
}
