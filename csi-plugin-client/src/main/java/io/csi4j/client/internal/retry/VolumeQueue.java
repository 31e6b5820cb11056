package io.csi4j.client.internal.retry;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/** The calls about one volume of one service: who is in, who waits, and what is outstanding. */
final class VolumeQueue {
    private final long holdNanos;
    private final Queue<QueuedCall> waiting = new ArrayDeque<>(0);
    private @Nullable QueuedCall current;
    private @Nullable UnknownOutcome held;
    private boolean retired;

    VolumeQueue(long holdNanos) {
        this.holdNanos = holdNanos;
    }

    /** What to tell the turn, outside the lock; null if the lane is no longer in use. */
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

    /** What to tell those who waited, outside the lock. */
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

    /** Whether it was still waiting. */
    synchronized boolean withdraw(QueuedCall turn) {
        return waiting.remove(turn);
    }

    /** What is in the lane, in words; empty if nothing is. */
    synchronized String currently() {
        return current == null ? "" : current.target().description();
    }

    synchronized void forget() {
        held = null;
    }

    /** What is outstanding, unless its time is up. */
    synchronized @Nullable UnknownOutcome outstanding(long now) {
        if (held != null && now - held.since() >= holdNanos) {
            held = null;
        }
        return held;
    }

    /** Ends a lane that nobody needs; a turn that comes too late is told so. */
    synchronized boolean retire(long now) {
        retired = retired || (current == null && waiting.isEmpty() && outstanding(now) == null);
        return retired;
    }
}
