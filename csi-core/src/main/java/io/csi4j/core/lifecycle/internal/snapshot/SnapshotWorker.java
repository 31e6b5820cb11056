package io.csi4j.core.lifecycle.internal.snapshot;

import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.lifecycle.internal.call.FailureLog;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.worker.RetryTimes;
import io.csi4j.core.snapshot.SnapshotPhase;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.spi.Cancellable;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The worker of one snapshot: it reads the row, makes the call that the row needs, which stores its result, and reads the
 * row again. At most one call is in flight. Thread-safe.
 */
final class SnapshotWorker {
    private static final Duration NOT_AT_ONCE = Duration.ofMillis(1);

    private final SnapshotWorkers workers;
    private final SnapshotKey key;
    private final Operations operations;
    private final RetryTimes retryTimes;

    // This object's monitor guards these fields.
    private boolean busy;
    private boolean stopped;
    private long readIndex = -1;
    private long changedIndex = -1;
    private int unstored;
    private @Nullable Cancellable timer;

    SnapshotWorker(SnapshotWorkers workers, SnapshotKey key) {
        this.workers = workers;
        this.key = key;
        this.operations = workers.operations();
        this.retryTimes = new RetryTimes(operations);
    }

    /** Reads the row, unless the worker has read this revision or is busy: then it reads the row afterwards. */
    synchronized void wake(long modifyIndex) {
        changedIndex = Math.max(changedIndex, modifyIndex);
        if (changedIndex > readIndex && !busy) {
            begin();
        }
    }

    synchronized void stop() {
        stopped = true;
        stopTimer();
    }

    private synchronized void begin() {
        if (stopped || busy || workers.term().ended()) {
            return;
        }
        busy = true;
        stopTimer();
        try {
            operations.ports().executor().execute(this::step);
        } catch (RejectedExecutionException e) {
            FailureLog.warn("The executor takes no step for snapshot " + key + " now; it is repeated later", e);
            busy = false;
            startTimer(operations.ports().options().retryMax());
        }
    }

    private void step() {
        try {
            work();
        } catch (RuntimeException | Error e) {
            ended(null, e);
        }
    }

    private void work() {
        Optional<VolumeSnapshot> row = operations.state().snapshot(key).filter(VolumeSnapshot::unsettled);
        synchronized (this) {
            readIndex = row.map(VolumeSnapshot::modifyIndex).orElse(readIndex);
        }
        if (row.isEmpty()) {
            if (!workers.retired(key)) {
                ended(null, null);
            }
            return;
        }
        Duration wait = wait(row.get());
        if (wait.compareTo(Duration.ZERO) > 0) {
            waitFor(wait);
            return;
        }
        CompletableFuture<SnapshotCalls.End> call =
                Futures.start(() -> workers.calls().call(row.get()));
        var unused = call.whenComplete((end, failure) -> ended(end, failure));
    }

    /** Returns how long to wait before the next call. A request for the deletion does not wait for the next poll. */
    private synchronized Duration wait(VolumeSnapshot row) {
        Duration pause = retryTimes.pauseLeft();
        Duration left = retryTimes.left(row.retry());
        retryTimes.keepOnly(Set.of(row.retry()));
        boolean deletes = row.phase() == SnapshotPhase.DELETING && row.retry().attempts() == 0 && unstored == 0;
        return deletes || left.compareTo(pause) > 0 ? left : pause;
    }

    private synchronized void waitFor(Duration wait) {
        busy = false;
        if (!stopped && changedIndex > readIndex) {
            // The row has changed since it was read.
            begin();
        } else if (!stopped) {
            startTimer(wait.compareTo(NOT_AT_ONCE) < 0 ? NOT_AT_ONCE : wait);
        }
    }

    private synchronized void startTimer(Duration wait) {
        timer = operations.ports().timer().schedule(wait, this::begin);
    }

    /** Handles the end of a call: the row says what follows, unless the end could not be stored. */
    private synchronized void ended(SnapshotCalls.@Nullable End end, @Nullable Throwable failure) {
        busy = false;
        if (failure != null) {
            unstored++;
            retryTimes.pause(Futures.unwrap(failure), unstored);
            if (unstored > 1) {
                FailureLog.warn(
                        "The end of a call for snapshot " + key + " could not be stored; the call is repeated",
                        Futures.unwrap(failure));
            }
        } else {
            unstored = 0;
            if (end == SnapshotCalls.End.NOT_READY) {
                retryTimes.pause(operations.ports().options().snapshotPollInterval());
            }
        }
        begin();
    }

    private void stopTimer() {
        if (timer != null) {
            timer.cancel();
            timer = null;
        }
    }
}
