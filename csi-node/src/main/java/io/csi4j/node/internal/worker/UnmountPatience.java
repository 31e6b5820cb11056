package io.csi4j.node.internal.worker;

import io.csi4j.core.spi.Cancellable;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.mount.MountAction;
import io.csi4j.node.internal.mount.NodeFailures;
import java.util.HashSet;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Measures for how long the plugin has been missing, or has refused to unmount, while something of the volume is being
 * unmounted. The timer measures the time, so a clock that jumps has no influence. Used in the tasks of a worker only.
 */
final class UnmountPatience {
    private final NodePorts ports;
    private final Consumer<Runnable> inTurn;
    private final Set<MountAction> refused = new HashSet<>();
    private @Nullable Cancellable running;
    /** Counts the timers, so that a timer that was reset is ignored when it runs late. */
    private int begun;

    private boolean over;
    private boolean closed;

    /**
     * Creates an object for a volume that is not being unmounted.
     *
     * @param inTurn runs a task in the serial execution of the worker, which then plans again
     */
    UnmountPatience(NodePorts ports, Consumer<Runnable> inTurn) {
        this.ports = ports;
        this.inTurn = inTurn;
    }

    /** Returns the unmounts that the plugin refused with its last answer. */
    Set<MountAction> refused() {
        return refused;
    }

    /** Returns whether the plugin was missing, or refused, for longer than the options permit. */
    boolean isOver() {
        return over;
    }

    /** Follows the plan of the worker: an unmount may wait for its plugin, which is missing, or nothing is being unmounted any more. */
    void planned(VolumeEntry entry, MountAction action) {
        boolean unmounting = entry.isUnmounting()
                || entry.uses().stream().anyMatch(use -> use.phase().goes());
        if (!unmounting) {
            reset();
        } else if (action instanceof MountAction.Await await && await.reason() == MountAction.Reason.PLUGIN) {
            begin();
        }
    }

    /** Records the failure of an unmount. */
    void failed(MountAction unmount, Throwable error) {
        if (NodeFailures.refused(error)) {
            refused.add(unmount);
            begin();
        } else {
            refused.remove(unmount);
        }
    }

    /** Records that an unmount has succeeded, or that nothing is being unmounted any more. */
    void reset() {
        refused.clear();
        over = false;
        if (running != null) {
            running.cancel();
            running = null;
        }
    }

    void close() {
        closed = true;
        reset();
    }

    private void begin() {
        if (running == null && !over && !closed) {
            int mine = ++begun;
            running = ports.timer()
                    .schedule(
                            ports.options().withoutPluginAfter(),
                            () -> inTurn.accept(() -> {
                                if (running != null && begun == mine) {
                                    running = null;
                                    over = true;
                                }
                            }));
        }
    }
}
