package io.csi4j.client.internal.retry;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** The calls about one volume of one service: the running call, the waiting calls, and the calls with an unknown outcome. */
final class VolumeQueue {
    private final long blockNanos;
    private final Queue<QueuedCall> waiting = new ArrayDeque<>(0);
    private @Nullable QueuedCall current;
    private @Nullable UnknownOutcome unknown;
    private boolean retired;

    VolumeQueue(long blockNanos) {
        this.blockNanos = blockNanos;
    }

    /**
     * Adds a call. Returns a task that notifies the call whether it begins, waits or is rejected. The task must be run
     * without a lock. Returns null, without adding the call, if this queue was removed.
     */
    synchronized @Nullable Runnable enter(QueuedCall call, long now) {
        if (retired) {
            return null;
        }
        if (current != null) {
            waiting.add(call);
            return call::waits;
        }
        return decide(call, now);
    }

    private Runnable decide(QueuedCall call, long now) {
        UnknownOutcome unresolved = unresolved(now);
        if (unresolved == null) {
            current = call;
            return () -> call.admitted(false);
        }
        if (!unresolved.allows(call.target())) {
            return () -> call.refused(unresolved);
        }
        current = call;
        boolean replay = unresolved.sameAs(call.target());
        return () -> call.admitted(replay);
    }

    /**
     * Removes a call that has ended. Returns tasks that notify waiting calls whether they begin or are rejected. The
     * tasks must be run without a lock.
     */
    synchronized List<Runnable> leave(CallTarget call, QueueExit end, long now) {
        current = null;
        note(call, end, now);
        if (waiting.isEmpty()) {
            return List.of();
        }
        List<Runnable> notify = new ArrayList<>(1);
        for (QueuedCall next = waiting.poll(); next != null; next = current == null ? waiting.poll() : null) {
            notify.add(decide(next, now));
        }
        return notify;
    }

    private void note(CallTarget call, QueueExit end, long now) {
        UnknownOutcome before = unknown;
        switch (end) {
            case UNKNOWN -> unknown = blockNanos > 0 ? UnknownOutcome.of(call, now) : null;
            case DONE -> {
                if (before != null && (before.sameAs(call) || before.undoneBy(call))) {
                    unknown = null;
                }
            }
            case ANSWERED -> {
                if (before != null && before.sameAs(call)) {
                    unknown = null;
                }
            }
            case NOTHING -> {}
        }
    }

    /** Removes a waiting call; returns false if it was not waiting any more. */
    synchronized boolean withdraw(QueuedCall call) {
        return waiting.remove(call);
    }

    /** Returns a text about the running call; empty if no call runs. */
    synchronized String currently() {
        return current == null ? "" : current.target().description();
    }

    synchronized void forget() {
        unknown = null;
    }

    /** Returns the unknown outcome that blocks the volume; null if there is none or it has expired. */
    synchronized @Nullable UnknownOutcome unresolved(long now) {
        if (unknown != null && now - unknown.since() >= blockNanos) {
            unknown = null;
        }
        return unknown;
    }

    /**
     * Marks the queue as removed if it has no calls, and returns whether it is removed; a later call gets a new queue.
     */
    synchronized boolean retire(long now) {
        retired = retired || (current == null && waiting.isEmpty() && unresolved(now) == null);
        return retired;
    }
}
