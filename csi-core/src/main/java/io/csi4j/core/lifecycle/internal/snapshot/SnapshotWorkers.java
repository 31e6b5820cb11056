package io.csi4j.core.lifecycle.internal.snapshot;

import io.csi4j.core.id.SnapshotKey;
import io.csi4j.core.lifecycle.internal.call.FailureLog;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.snapshot.VolumeSnapshot;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateScope;
import io.csi4j.core.state.StateScope.Table;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;

/**
 * The workers of one term of leadership for the snapshots of the state: one for each snapshot that the leader has a call to
 * make for. A change of the table of snapshots, and a scan at intervals, starts the workers that are missing and wakes those that
 * wait. Thread-safe.
 */
public final class SnapshotWorkers {
    private final Operations operations;
    private final Term term;
    private final SnapshotCalls calls;
    private final Runnable sourcesChanged;

    // This object's monitor guards these fields.
    private final Map<SnapshotKey, SnapshotWorker> workers = new HashMap<>();
    private ObservableState.@Nullable Subscription changes;
    private @Nullable Cancellable nextScan;
    private boolean stopped;

    /**
     * Creates workers that have not started.
     *
     * @param sourcesChanged is called after each change of a snapshot, because the deletion of its source may have waited
     */
    public SnapshotWorkers(Operations operations, Term term, Runnable sourcesChanged) {
        this.sourcesChanged = sourcesChanged;
        this.operations = operations;
        this.term = term;
        this.calls = new SnapshotCalls(operations, term);
    }

    Operations operations() {
        return operations;
    }

    Term term() {
        return term;
    }

    SnapshotCalls calls() {
        return calls;
    }

    /** Starts the work for all snapshots that need it, and for those that need it later. */
    public void start() {
        ObservableState state = operations.ports().log().state();
        var subscription =
                state.subscribe(StateScope.of(Table.SNAPSHOTS), state.snapshot().index(), newer -> changed());
        synchronized (this) {
            if (stopped) {
                subscription.close();
                return;
            }
            changes = subscription;
        }
        scan();
    }

    /** Ends the work at the end of the term. A call in flight is not awaited, and its end is not stored. */
    public void stop() {
        synchronized (this) {
            stopped = true;
            if (changes != null) {
                changes.close();
            }
            if (nextScan != null) {
                nextScan.cancel();
            }
            workers.values().forEach(SnapshotWorker::stop);
            workers.clear();
        }
    }

    /** Wakes the worker of each snapshot that needs a call. A change that is missed is found by the next scan. */
    private void changed() {
        try {
            operations.ports().executor().execute(this::wakeAll);
        } catch (RejectedExecutionException e) {
            FailureLog.warn("The executor takes no change of the snapshots now; a scan looks it up later", e);
        }
    }

    private void wakeAll() {
        if (term.ended()) {
            return;
        }
        try {
            sourcesChanged.run();
            for (VolumeSnapshot row : operations.state().unsettledSnapshots()) {
                wake(row);
            }
        } catch (RuntimeException | Error e) {
            FailureLog.warn("A change of the snapshots was not looked up; a scan looks it up later", e);
        }
    }

    private synchronized void scan() {
        if (!stopped) {
            changed();
            nextScan = operations
                    .ports()
                    .timer()
                    .schedule(operations.ports().options().scanInterval(), this::scan);
        }
    }

    private void wake(VolumeSnapshot row) {
        SnapshotWorker worker;
        synchronized (this) {
            if (stopped) {
                return;
            }
            worker = workers.computeIfAbsent(row.key(), key -> new SnapshotWorker(this, key));
        }
        worker.wake(row.modifyIndex());
    }

    /**
     * Removes the worker of a snapshot that needs no call, unless the snapshot needs one again: a row that changed after
     * the worker read it found this worker here.
     *
     * @return whether the worker was removed
     */
    synchronized boolean retired(SnapshotKey key) {
        boolean needed = operations
                .state()
                .snapshot(key)
                .filter(VolumeSnapshot::unsettled)
                .isPresent();
        if (!needed) {
            workers.remove(key);
        }
        return !needed;
    }
}
