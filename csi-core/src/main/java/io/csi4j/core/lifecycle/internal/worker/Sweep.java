package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.internal.plan.InFlightSnapshot;
import io.csi4j.core.internal.plan.VolumePlan;
import io.csi4j.core.lifecycle.internal.call.FailureLog;
import io.csi4j.core.lifecycle.internal.call.Operations;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.VolumePage;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.core.volume.Volume;
import org.jspecify.annotations.Nullable;

/**
 * Scans the state at intervals, page by page, and wakes the workers of all volumes with remaining work, in case an
 * event was missed.
 */
final class Sweep {
    private static final VolumeQuery FIRST = VolumeQuery.builder().limit(1000).build();

    private final Operations operations;
    private final VolumeWorkers workers;
    private final Term term;
    private @Nullable Cancellable next;

    Sweep(Operations operations, VolumeWorkers workers) {
        this.operations = operations;
        this.workers = workers;
        this.term = workers.term();
    }

    void start() {
        from(FIRST);
    }

    /** Ends the scans at the end of the term of leadership. */
    synchronized void stop() {
        if (next != null) {
            next.cancel();
        }
    }

    private void from(VolumeQuery query) {
        operations.ports().executor().execute(() -> {
            if (term.ended()) {
                return;
            }
            try {
                page(query);
            } catch (RuntimeException e) {
                FailureLog.warn("A scan of the volumes failed; the next one begins as if it had not", e);
                later();
            }
        });
    }

    private void page(VolumeQuery query) {
        StateReader state = operations.state();
        VolumePage page = state.volumes(query);
        for (Volume volume : page.items()) {
            boolean idle = VolumePlan.of(
                            volume,
                            workers.facts(state, volume, InFlightSnapshot.none(), operations.now())
                                    .sweep(true)
                                    .build())
                    .idle();
            if (!idle) {
                workers.sweep(volume.key());
            }
        }
        if (page.next().isPresent()) {
            from(query.toBuilder().after(page.next().get()).build());
        } else {
            later();
        }
    }

    private synchronized void later() {
        if (!term.ended()) {
            next = operations
                    .ports()
                    .timer()
                    .schedule(operations.ports().options().scanInterval(), this::start);
        }
    }
}
