package io.csi4j.simulation;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** One piece of work at a time for each volume, as plugins do it: who comes meanwhile is turned away, or waits. */
final class SimLocks {
    /** Somebody's turn; whoever lost it in a restart cannot end another's. */
    static final class Lock {
        private final String subject;
        private final boolean allowsWaiting;
        private final Deque<Runnable> waiting = new ArrayDeque<>(0);

        private Lock(String subject, boolean allowsWaiting) {
            this.subject = subject;
            this.allowsWaiting = allowsWaiting;
        }
    }

    private final Map<String, Lock> locks = new HashMap<>();

    boolean isHeld(String subject) {
        return locks.containsKey(subject);
    }

    /** Whether who comes now may wait. */
    boolean allowsWaiting(String subject) {
        Lock lock = locks.get(subject);
        return lock != null && lock.allowsWaiting;
    }

    void enqueue(String subject, Runnable task) {
        Objects.requireNonNull(locks.get(subject), "no lock is held").waiting.add(task);
    }

    Lock acquire(String subject, boolean allowsWaiting) {
        Lock lock = new Lock(subject, allowsWaiting);
        locks.put(subject, lock);
        return lock;
    }

    /** Ends a turn. The first who waits begins one of its own, behind which the others go on waiting. */
    void release(Lock lock) {
        if (!locks.remove(lock.subject, lock)) {
            return;
        }
        Deque<Runnable> waiting = lock.waiting;
        while (!waiting.isEmpty()) {
            Runnable first = waiting.poll();
            first.run();
            Lock next = locks.get(lock.subject);
            if (next != null) {
                next.waiting.addAll(waiting);
                return;
            }
        }
    }

    /** All work is forgotten, and everybody who waits. */
    void clear() {
        locks.clear();
    }
}
