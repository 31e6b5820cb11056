package io.csi4j.client.internal.retry;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** The calls about one volume of one service: the running one, the waiting ones, and those with an unknown outcome. */
final class VolumeQueue {
    private final long holdNanos;
    private final Queue<QueuedCall> waiting = new ArrayDeque<>(0);
    private @Nullable QueuedCall current;
    private @Nullable UnknownOutcome held;
    private boolean retired;

    VolumeQueue(long holdNanos) {
        this.holdNanos = holdNanos;
    }

    /** Adds a call. Returns the notification to run outside of the lock; null if the queue was removed. */
    synchronized @Nullable Runnable enter(QueuedCall turn, long now) {
        if (retired) {
            return null;
        }
        if (current != null) {
            waiting.add(turn);
            return turn::waits;
        }
        return decide(turn, now);
    }

    private Runnable decide(QueuedCall turn, long now) {
        UnknownOutcome outstanding = outstanding(now);
        if (outstanding == null) {
            current = turn;
            return () -> turn.admitted(false);
        }
        if (!outstanding.lets(turn.target())) {
            return () -> turn.refused(outstanding);
        }
        current = turn;
        boolean replay = outstanding.sameAs(turn.target());
        return () -> turn.admitted(replay);
    }

    /** Removes a call. Returns the notifications to run outside of the lock. */
    synchronized List<Runnable> leave(CallTarget call, QueueExit end, long now) {
        current = null;
        note(call, end, now);
        if (waiting.isEmpty()) {
            return List.of();
        }
        List<Runnable> told = new ArrayList<>(1);
        for (QueuedCall next = waiting.poll(); next != null; next = current == null ? waiting.poll() : null) {
            told.add(decide(next, now));
        }
        return told;
    }

    private void note(CallTarget call, QueueExit end, long now) {
        UnknownOutcome before = held;
        switch (end) {
            case UNKNOWN -> held = holdNanos > 0 ? UnknownOutcome.of(call, now) : null;
            case DONE -> {
                if (before != null && (before.sameAs(call) || before.undoneBy(call))) {
                    held = null;
                }
            }
            case ANSWERED -> {
                if (before != null && before.sameAs(call)) {
                    held = null;
                }
            }
            case NOTHING -> {}
        }
    }

    /** Removes a waiting call; returns whether it was still waiting. */
    synchronized boolean withdraw(QueuedCall turn) {
        return waiting.remove(turn);
    }

    /** Returns the running call as text; empty: none. */
    synchronized String currently() {
        return current == null ? "" : current.target().description();
    }

    synchronized void forget() {
        held = null;
    }

    /** Returns the unknown outcome, unless it has expired. */
    synchronized @Nullable UnknownOutcome outstanding(long now) {
        if (held != null && now - held.since() >= holdNanos) {
            held = null;
        }
        return held;
    }

    /** Removes the queue if it is not needed; a call that comes later gets a new one. */
    synchronized boolean retire(long now) {
        retired = retired || (current == null && waiting.isEmpty() && outstanding(now) == null);
        return retired;
    }
}
