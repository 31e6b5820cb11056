package io.csi4j.client.internal.retry;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** The calls about one volume of one service: the running one, the waiting ones, and those with an unknown outcome. */
final class VolumeQueue {
    private final long blockNanos;
    private final Queue<QueuedCall> waiting = new ArrayDeque<>(0);
    private @Nullable QueuedCall current;
    private @Nullable UnknownOutcome unknown;
    private boolean retired;

    VolumeQueue(long blockNanos) {
        this.blockNanos = blockNanos;
    }

    /** Adds a call. Returns the notification to run outside of the lock; null if the queue was removed. */
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

    /** Removes a call. Returns the notifications to run outside of the lock. */
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

    /** Removes a waiting call; returns whether it was still waiting. */
    synchronized boolean withdraw(QueuedCall call) {
        return waiting.remove(call);
    }

    /** Returns the running call as text; empty: none. */
    synchronized String currently() {
        return current == null ? "" : current.target().description();
    }

    synchronized void forget() {
        unknown = null;
    }

    /** Returns the unknown outcome, unless it has expired. */
    synchronized @Nullable UnknownOutcome unresolved(long now) {
        if (unknown != null && now - unknown.since() >= blockNanos) {
            unknown = null;
        }
        return unknown;
    }

    /** Removes the queue if it is not needed; a call that comes later gets a new one. */
    synchronized boolean retire(long now) {
        retired = retired || (current == null && waiting.isEmpty() && unresolved(now) == null);
        return retired;
    }
}
