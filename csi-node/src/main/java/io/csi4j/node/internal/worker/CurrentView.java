package io.csi4j.node.internal.worker;

import io.csi4j.core.spi.Timer;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountAction;
import io.csi4j.node.internal.mount.MountFacts;
import org.jspecify.annotations.Nullable;

/** The worker's state after its last step, for other threads. Changed in the tasks of the worker only. */
final class CurrentView {
    private final Timer timer;
    private volatile WorkerView view;

    /** Creates the view of a worker that has not planned yet. */
    CurrentView(VolumeEntry entry, MountFacts unlooked, Timer timer) {
        this.timer = timer;
        this.view = WorkerView.of(entry, unlooked, atFirst(entry), "", null);
    }

    /**
     * Returns the action that the status of the volume is derived from before the worker's first step. A record without
     * uses counts as removed, because only a crash can have prevented its removal.
     */
    private static MountAction atFirst(VolumeEntry entry) {
        boolean nothing = entry.hasNothing() && !entry.rebuilt() && entry.uncertainSince() == 0;
        return nothing ? new MountAction.Forget() : new MountAction.Settled();
    }

    WorkerView get() {
        return view;
    }

    void planned(VolumeEntry entry, MountFacts facts, MountAction action, String lastError) {
        Long since = null;
        if (WorkerView.isUnfinished(entry, action)) {
            Long before = view.unfinishedSince();
            since = before != null ? before : Long.valueOf(timer.nanoTime());
        }
        view = WorkerView.of(entry, facts, action, lastError, since);
    }

    void callBegins(MountAction action, @Nullable OwnershipWatch ownership) {
        view = view.changing(ownership);
        action.rpc().ifPresent(rpc -> view = view.calling(new WorkerView.InFlight(rpc, timer.nanoTime())));
    }

    void callEnded() {
        view = view.called();
    }

    /** Shows that the worker cannot take a step, because the ledger cannot be written or read. */
    void stalled(String reason) {
        view = view.stalled(reason, timer.nanoTime());
    }
}
