package io.csi4j.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** One piece of work at a time for each volume, as plugins do it: who comes meanwhile is turned away, or waits. */
final class SimTurns {
    /** Somebody's turn; whoever lost it in a restart cannot end another's. */
    static final class Turn {
        private final String subject;
        private final boolean patient;
        private final Deque<Runnable> waiting = new ArrayDeque<>(0);

        private Turn(String subject, boolean patient) {
            this.subject = subject;
            this.patient = patient;
        }
    }

    private final Map<String, Turn> turns = new HashMap<>();

    boolean busy(String subject) {
        return turns.containsKey(subject);
    }

    /** Whether who comes now may wait. */
    boolean patient(String subject) {
        Turn turn = turns.get(subject);
        return turn != null && turn.patient;
    }

    void later(String subject, Runnable task) {
        Objects.requireNonNull(turns.get(subject), "nobody is at work").waiting.add(task);
    }

    Turn begin(String subject, boolean patient) {
        Turn turn = new Turn(subject, patient);
        turns.put(subject, turn);
        return turn;
    }

    /** Ends a turn. The first who waits begins one of its own, behind which the others go on waiting. */
    void end(Turn turn) {
        if (!turns.remove(turn.subject, turn)) {
            return;
        }
        Deque<Runnable> waiting = turn.waiting;
        while (!waiting.isEmpty()) {
            Runnable first = waiting.poll();
            first.run();
            Turn next = turns.get(turn.subject);
            if (next != null) {
                next.waiting.addAll(waiting);
                return;
            }
        }
    }

    /** All work is forgotten, and everybody who waits. */
    void clear() {
        turns.clear();
    }
}
