package io.csi4j.simulation.internal.time;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/** Serializes the work for each volume, as plugins do. While one call works, another is refused or waits. */
public final class SimLocks {
    /** A lock that is held. After a restart has cleared all locks, the release of an earlier lock has no effect. */
    public static final class Lock {
        private final String subject;
        private final boolean allowsWaiting;
        private final Deque<Runnable> waiting = new ArrayDeque<>(0);

        private Lock(String subject, boolean allowsWaiting) {
            this.subject = subject;
            this.allowsWaiting = allowsWaiting;
        }
    }

    private final Map<String, Lock> locks = new HashMap<>();

    public boolean isHeld(String subject) {
        return locks.containsKey(subject);
    }

    /** Whether any call is in progress. */
    public boolean anyHeld() {
        return !locks.isEmpty();
    }

    /** Whether a call that finds the lock held waits for it; false: the call is refused, or the lock is free. */
    public boolean allowsWaiting(String subject) {
        Lock lock = locks.get(subject);
        return lock != null && lock.allowsWaiting;
    }

    public void enqueue(String subject, Runnable task) {
        Objects.requireNonNull(locks.get(subject), "no lock is held").waiting.add(task);
    }

    public Lock acquire(String subject, boolean allowsWaiting) {
        Lock lock = new Lock(subject, allowsWaiting);
        locks.put(subject, lock);
        return lock;
    }

    /**
     * Releases a lock. The first waiting task runs and may take the lock; the other tasks then wait for that lock.
     */
    public void release(Lock lock) {
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

    /** Forgets all locks and waiting tasks. */
    public void clear() {
        locks.clear();
    }
}
