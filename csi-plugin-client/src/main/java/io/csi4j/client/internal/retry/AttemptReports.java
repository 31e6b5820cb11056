package io.csi4j.client.internal.retry;

import io.csi4j.client.retry.AttemptEvent;
import io.csi4j.client.retry.AttemptObserver;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.StatusCode;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/** Reports the attempts of one call to an observer. Used by one thread at a time. */
final class AttemptReports {
    private static final System.Logger LOG = System.getLogger(AttemptReports.class.getName());

    private final AttemptObserver observer;
    private final LongSupplier nanoTime;
    private final CallTarget target;
    private final String plugin;
    private volatile int number;
    private volatile long began;
    /** Whether an attempt has begun and its end is not reported yet; only one of a cancellation and Failsafe reports it. */
    private volatile boolean open;

    private AttemptReports(AttemptObserver observer, LongSupplier nanoTime, CallTarget target, String plugin) {
        this.observer = observer;
        this.nanoTime = nanoTime;
        this.target = target;
        this.plugin = plugin;
    }

    /**
     * Returns the reports of a call; null without an observer, because creating unneeded reports would noticeably slow
     * down a short call.
     */
    static @Nullable AttemptReports of(RetryEnvironment environment, CallTarget target, String plugin) {
        return environment
                .observer()
                .map(observer -> new AttemptReports(observer, environment.nanoTime(), target, plugin))
                .orElse(null);
    }

    void began(int which, long at) {
        began = at;
        number = which;
        open = true;
    }

    /**
     * Reports the end of an attempt.
     *
     * @param backoffNanos the backoff; negative: no attempt follows
     */
    void ended(@Nullable Throwable failure, long backoffNanos) {
        ended(code(failure), backoffNanos);
    }

    void ended(StatusCode code, long backoffNanos) {
        if (!open) {
            return;
        }
        open = false;
        AttemptEvent event = new AttemptEvent(
                target.rpc(),
                plugin,
                code,
                number,
                Duration.ofNanos(Math.max(0, nanoTime.getAsLong() - began)),
                backoffNanos < 0 ? Optional.empty() : Optional.of(Duration.ofNanos(backoffNanos)));
        try {
            observer.attemptEnded(event);
        } catch (RuntimeException | Error e) {
            // Logs only the class of the observer's exception, because its message may contain secrets.
            LOG.log(
                    Level.WARNING,
                    "The observer of attempts failed with a {0}; the call continues",
                    e.getClass().getName());
        }
    }

    static StatusCode code(@Nullable Throwable failure) {
        if (failure == null) {
            return StatusCode.OK;
        }
        return failure instanceof CsiCallException call ? call.code() : StatusCode.UNKNOWN;
    }
}
