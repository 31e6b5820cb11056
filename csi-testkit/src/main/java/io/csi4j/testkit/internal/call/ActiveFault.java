package io.csi4j.testkit.internal.call;

import io.csi4j.core.call.Rpc;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import java.time.Duration;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A fault rule that is set at a plugin, with the number of calls that it has changed. */
final class ActiveFault implements Fault {
    private final long id;
    private final FaultRule rule;
    private final ActiveFaults faults;
    private final CompletableFuture<Void> removed = new CompletableFuture<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final Random random;
    private long skipped;
    private long used;

    ActiveFault(long id, FaultRule rule, ActiveFaults faults) {
        this.id = id;
        this.rule = rule;
        this.faults = faults;
        this.random = new Random(rule.seed());
    }

    long id() {
        return id;
    }

    @Override
    public FaultRule rule() {
        return rule;
    }

    /** Returns whether the rule acts on a call. If so, counts the call. */
    boolean claims(Rpc rpc, Optional<String> volume, Optional<String> node) {
        if (!rule.holdsFor(rpc, volume, node)) {
            return false;
        }
        lock.lock();
        try {
            if (used >= rule.times() || removed.isDone()) {
                return false;
            }
            if (skipped < rule.skip()) {
                skipped++;
                return false;
            }
            if (rule.probability() < 1 && random.nextDouble() >= rule.probability()) {
                return false;
            }
            used++;
            changed.signalAll();
            return true;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public long used() {
        lock.lock();
        try {
            return used;
        } finally {
            lock.unlock();
        }
    }

    @Override
    public void awaitUse(long count, Duration maxWait) {
        long left = maxWait.toNanos();
        lock.lock();
        try {
            while (used < count) {
                if (left <= 0) {
                    throw new IllegalStateException("the fault '" + rule + "' was used " + used + " times within "
                            + maxWait + ", not " + count + "; check the RPC, the volume and the node of the rule");
                }
                left = changed.awaitNanos(left);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for the fault '" + rule + "'", e);
        } finally {
            lock.unlock();
        }
    }

    /** Runs an action when the rule is removed. */
    void whenRemoved(Runnable action) {
        var unused = removed.thenRun(action);
    }

    @Override
    public void remove() {
        faults.forget(this);
        removed.complete(null);
    }

    @Override
    public String toString() {
        return rule + " (used " + used() + ")";
    }
}
