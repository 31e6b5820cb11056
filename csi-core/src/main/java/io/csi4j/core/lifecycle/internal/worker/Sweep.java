package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.plan.InFlightSnapshot;
import io.csi4j.core.internal.plan.Plan;
import io.csi4j.core.internal.plan.VolumePlan;
import io.csi4j.core.lifecycle.internal.call.FailureLog;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.MissedStepEvent;
import io.csi4j.core.state.ListPage;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.RejectedExecutionException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Scans the state at intervals, page by page, and wakes the workers of all volumes with remaining work, in case an
 * event was missed. Events and timers alone should start every step. So a volume with a step that nothing is going to
 * start is not woken at once: if nothing has started the step after a delay, an event was lost. That step is reported
 * and then started.
 */
final class Sweep {
    private static final VolumeQuery FIRST = VolumeQuery.builder().limit(1000).build();
    /** The longest time that an event on its way may need to reach its worker. */
    private static final Duration MAX_DELAY = Duration.ofSeconds(5);
    /** The largest number of volumes that a line of the log names. */
    private static final int NAMED = 5;

    private final Operations operations;
    private final VolumeWorkers workers;
    private final Term term;
    private @Nullable Cancellable next;

    /** A volume that had a step which nothing was going to start, and the index of its row then. */
    private record Unattended(VolumeKey key, long modifyIndex) {}

    Sweep(Operations operations, VolumeWorkers workers) {
        this.operations = operations;
        this.workers = workers;
        this.term = workers.term();
    }

    /** Starts the first scan, which wakes all volumes with remaining work. The later scans also look for lost events. */
    void start() {
        page(FIRST, null);
    }

    /** Ends the scans at the end of the term of leadership. */
    synchronized void stop() {
        if (next != null) {
            next.cancel();
        }
    }

    private void run(Runnable task) {
        try {
            operations.ports().executor().execute(() -> {
                if (term.ended()) {
                    return;
                }
                try {
                    task.run();
                } catch (RuntimeException | Error e) {
                    failed(e);
                }
            });
        } catch (RejectedExecutionException e) {
            failed(e);
        }
    }

    private void failed(Throwable cause) {
        FailureLog.warn("A scan of the volumes failed; the next one begins as if it had not", cause);
        scanLater(operations.ports().options().scanInterval());
    }

    private void page(VolumeQuery query, @Nullable List<Unattended> found) {
        run(() -> {
            StateReader state = operations.state();
            ListPage<Volume, VolumeKey> page = state.volumes(query);
            for (Volume volume : page.items()) {
                volume(state, volume, found);
            }
            if (page.next().isPresent()) {
                page(query.toBuilder().after(page.next().get()).build(), found);
            } else {
                pagesEnded(found == null ? List.of() : found);
            }
        });
    }

    private void volume(StateReader state, Volume volume, @Nullable List<Unattended> found) {
        if (plan(state, volume, true).idle()) {
            return;
        }
        if (found != null && unattended(state, volume)) {
            found.add(new Unattended(volume.key(), volume.modifyIndex()));
        } else {
            workers.sweep(volume.key());
        }
    }

    private Plan plan(StateReader state, Volume volume, boolean sweep) {
        return VolumePlan.of(
                volume,
                workers.facts(state, volume, operations.now())
                        .calls(() -> operations.volumeCalls().inFlight(volume.key()))
                        .sweep(sweep)
                        .build());
    }

    /** Returns whether a volume has a step, now or at a known time, and no worker is going to start it. */
    private boolean unattended(StateReader state, Volume volume) {
        if (workers.attends(volume.key())) {
            return false;
        }
        Plan plan = plan(state, volume, false);
        boolean callInFlight = !operations.volumeCalls().inFlight(volume.key()).equals(InFlightSnapshot.none());
        // The end of a call in flight causes the next plan, so the worker may have no timer until then.
        return !plan.calls().isEmpty()
                || !plan.facts().isEmpty()
                || (plan.wakeAt().isPresent() && !callInFlight);
    }

    private void pagesEnded(List<Unattended> found) {
        Duration interval = operations.ports().options().scanInterval();
        if (found.isEmpty()) {
            scanLater(interval);
            return;
        }
        Duration half = interval.dividedBy(2);
        Duration delay = half.compareTo(MAX_DELAY) < 0 ? half : MAX_DELAY;
        later(delay, () -> {
            startMissed(found);
            scanLater(interval.minus(delay));
        });
    }

    /** Wakes the workers of all found volumes, and reports the volumes that nothing else has woken meanwhile. */
    private void startMissed(List<Unattended> found) {
        StateReader state = operations.state();
        List<Volume> missed = found.stream()
                .flatMap(before -> state
                        .volume(before.key())
                        .filter(now -> now.modifyIndex() == before.modifyIndex() && unattended(state, now))
                        .stream())
                .toList();
        found.forEach(before -> workers.sweep(before.key()));
        if (!missed.isEmpty()) {
            FailureLog.warn("A scan found steps of " + missed.size() + " volumes that no event or timer had started: "
                    + named(missed)
                    + ". They start now, so nothing has to be done; please report this, because it is a fault of"
                    + " csi4j");
        }
        for (Volume volume : missed) {
            operations
                    .ports()
                    .listener()
                    .missedStepFound(new MissedStepEvent(volume.key(), volume.pluginId(), operations.now()));
        }
    }

    private static String named(List<Volume> missed) {
        String first = missed.stream()
                .limit(NAMED)
                .map(volume -> volume.key().toString())
                .collect(Collectors.joining(", "));
        return missed.size() <= NAMED ? first : first + " and others";
    }

    private void scanLater(Duration delay) {
        later(delay, () -> page(FIRST, new ArrayList<>()));
    }

    private synchronized void later(Duration delay, Runnable task) {
        if (!term.ended()) {
            next = operations.ports().timer().schedule(delay, () -> run(task));
        }
    }
}
