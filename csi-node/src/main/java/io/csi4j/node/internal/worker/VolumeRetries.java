package io.csi4j.node.internal.worker;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.node.internal.mount.MountAction;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The failed steps of a volume and the times of their next attempts. Used in the tasks of a worker only. */
public final class VolumeRetries {
    private final NodePorts ports;
    private final Consumer<Runnable> inTurn;
    private final Map<MountAction, Integer> failures = new HashMap<>();
    private final Set<MountAction> deferred = new HashSet<>();
    private final Set<Cancellable> timers = new HashSet<>();
    private @Nullable Cancellable nextPlan;
    private boolean stalled;
    private int stalls;
    private boolean closed;
    private String lastError = "";
    private String stallReason = "";

    VolumeRetries(NodePorts ports, Consumer<Runnable> inTurn) {
        this.ports = ports;
        this.inTurn = inTurn;
    }

    Set<MountAction> deferred() {
        return deferred;
    }

    /** Returns whether all steps have to wait because the ledger could not be written. */
    boolean stalled() {
        return stalled;
    }

    String lastError() {
        return lastError;
    }

    /** Returns why all steps have to wait, without any text of a plugin. */
    String stallReason() {
        return stallReason;
    }

    void failed(MountAction action, String error) {
        lastError = error;
        deferred.add(action);
        later(ports.backoff().after(failures.merge(action, 1, Integer::sum)), () -> deferred.remove(action));
    }

    /**
     * Defers all steps.
     *
     * @param error the reason, without any text of a plugin
     */
    void stall(String error) {
        lastError = error;
        stallReason = error;
        stalled = true;
        stalls++;
        later(ports.backoff().after(stalls), () -> stalled = false);
    }

    void succeeded(MountAction action) {
        failures.remove(action);
        stalls = 0;
        if (failures.isEmpty()) {
            lastError = "";
        }
    }

    /** Ends all backoffs, so that a new request is carried out at once. */
    void clear() {
        deferred.clear();
        stalled = false;
    }

    /** Makes the worker plan its next action after a delay. Replaces a delay that was set before. */
    void planAgain(Duration delay) {
        if (nextPlan != null) {
            nextPlan.cancel();
        }
        if (!closed) {
            nextPlan = ports.timer().schedule(delay, () -> inTurn.accept(() -> {}));
        }
    }

    void close() {
        closed = true;
        timers.forEach(Cancellable::cancel);
        timers.clear();
        if (nextPlan != null) {
            nextPlan.cancel();
        }
    }

    private void later(Duration delay, Runnable task) {
        if (closed) {
            return;
        }
        Cancellable[] self = new Cancellable[1];
        self[0] = ports.timer()
                .schedule(
                        delay,
                        () -> inTurn.accept(() -> {
                            timers.remove(self[0]);
                            task.run();
                        }));
        timers.add(self[0]);
    }
}
