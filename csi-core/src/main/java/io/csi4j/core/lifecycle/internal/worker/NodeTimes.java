package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.cluster.Node;
import io.csi4j.core.cluster.NodeStatus;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.lifecycle.internal.call.Term;
import io.csi4j.core.spi.Cancellable;
import io.csi4j.core.spi.Timer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The time for which this leader has seen each unreachable node in its status, on its own elapsed time, during one
 * term of leadership. The time at which a server says that a node got its status is not used: the clocks of servers
 * differ and jump. So each outage, and each new leader, begins at zero.
 *
 * <p>Only time in which the leader runs counts. A process that was stopped, or a machine that was paused, hears nothing
 * from its nodes; so of each gap between two beats at most two beats count. Thread-safe.
 */
final class NodeTimes {
    /** The interval at which the leader counts the time while a node is out of reach. */
    static final Duration BEAT = Duration.ofSeconds(1);

    private final Timer timer;
    private final Term term;
    private final Map<NodeId, Seen> seen = new HashMap<>();
    /** The time that this leader has run since the first node was out of reach, up to the last beat. */
    private long counted;

    private long lastBeat;
    private @Nullable Cancellable next;

    /** Creates an object that has seen nothing, for one term of leadership. */
    NodeTimes(Timer timer, Term term) {
        this.timer = timer;
        this.term = term;
    }

    /**
     * Returns how long this leader has seen a node in its status. The time begins with the first call for this status;
     * zero for a node that is not out of reach.
     */
    synchronized Duration inStatus(Node node) {
        if (!outOfReach(node)) {
            return Duration.ZERO;
        }
        Seen before = seen.get(node.id());
        if (before != null && before.index > node.modifyIndex()) {
            // The caller has an old state, and the status has changed since.
            return Duration.ZERO;
        }
        if (before == null || before.index < node.modifyIndex()) {
            if (next == null) {
                lastBeat = timer.nanoTime();
                beatLater();
            }
            before = new Seen(node.modifyIndex(), counted());
            seen.put(node.id(), before);
        }
        return Duration.ofNanos(counted() - before.at);
    }

    /** Takes note of a status that the leader has seen, before any volume asks for it. */
    synchronized void saw(Node node) {
        if (outOfReach(node)) {
            Duration unused = inStatus(node);
        } else {
            seen.computeIfPresent(node.id(), (id, before) -> before.index < node.modifyIndex() ? null : before);
        }
    }

    private static boolean outOfReach(Node node) {
        return node.status() == NodeStatus.DISCONNECTED || node.status() == NodeStatus.DOWN;
    }

    private long counted() {
        return counted + Math.min(timer.nanoTime() - lastBeat, 2 * BEAT.toNanos());
    }

    private synchronized void beat() {
        counted = counted();
        lastBeat = timer.nanoTime();
        next = null;
        if (!seen.isEmpty() && !term.ended()) {
            beatLater();
        }
    }

    private void beatLater() {
        next = timer.schedule(BEAT, this::beat);
    }

    /** Ends the count at the end of the term of leadership. */
    synchronized void close() {
        seen.clear();
        if (next != null) {
            next.cancel();
            next = null;
        }
    }

    /**
     * A status that this leader has seen.
     *
     * @param index the index of the command that set the status
     * @param at the counted time at which the leader saw it first
     */
    private record Seen(long index, long at) {}
}
