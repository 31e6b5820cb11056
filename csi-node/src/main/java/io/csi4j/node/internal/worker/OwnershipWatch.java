package io.csi4j.node.internal.worker;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.OwnershipProgress;
import io.csi4j.node.internal.ledger.UseId;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Watches whether a change of ownership proceeds. Thread-safe. */
public final class OwnershipWatch {
    /** How often the number of files is compared with the last one. */
    private static final Duration INTERVAL = Duration.ofSeconds(10);
    /** The time without a file after which operators learn that the change does not proceed. */
    static final Duration STALLED_AFTER = Duration.ofMinutes(1);

    private final UseId use;
    private final OwnershipProgress progress;
    private final Timer timer;
    private final Runnable stalls;
    private long files;
    private long movedAt;
    private boolean reported;
    private boolean ended;
    private @Nullable Cancellable next;

    /**
     * Begins to watch a change.
     *
     * @param stalls runs on the timer's thread when no file was reached for a minute, once until the next file
     */
    OwnershipWatch(UseId use, OwnershipProgress progress, Timer timer, Runnable stalls) {
        this.use = use;
        this.progress = progress;
        this.timer = timer;
        this.stalls = stalls;
        this.movedAt = timer.nanoTime();
        this.next = timer.schedule(INTERVAL, this::compare);
    }

    UseId use() {
        return use;
    }

    public OwnershipProgress progress() {
        return progress;
    }

    /** Returns the number of files and the reason of a change, for operators. */
    static String text(OwnershipProgress progress) {
        return progress.changed() + " changed of " + progress.visited() + " looked at"
                + (progress.reason().isEmpty() ? "" : ", because " + progress.reason());
    }

    private synchronized void compare() {
        if (ended) {
            return;
        }
        long now = timer.nanoTime();
        long reached = progress.visited() + progress.changed();
        if (reached != files) {
            files = reached;
            movedAt = now;
            reported = false;
        }
        next = timer.schedule(INTERVAL, this::compare);
        if (!reported && stillFor(now).compareTo(STALLED_AFTER) >= 0) {
            reported = true;
            stalls.run();
        }
    }

    /** Returns for how long no file was reached, as far as known; it is up to ten seconds too short or too long. */
    synchronized Duration stillFor(long now) {
        return progress.visited() + progress.changed() != files
                ? Duration.ZERO
                : Duration.ofNanos(Math.max(0, now - movedAt));
    }

    synchronized void end() {
        ended = true;
        Cancellable scheduled = next;
        if (scheduled != null) {
            scheduled.cancel();
        }
    }
}
