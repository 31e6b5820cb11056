package io.csi4j.testkit.internal.service;

import io.csi4j.testkit.internal.rule.CallRefusal;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** Admits one changing call at a time for each volume or snapshot, and counts the calls that it refuses (R26, R27). */
public final class InFlight {
    private final Map<String, String> pending = new ConcurrentHashMap<>();
    private final LongAdder overlapping = new LongAdder();

    public InFlight() {}

    <R> R alone(String rpc, String key, CallHook hook, Supplier<R> work) {
        String other = pending.putIfAbsent(key, rpc);
        if (other != null) {
            overlapping.increment();
            throw CallRefusal.aborted(rpc + " came while " + other + " for '" + key
                    + "' is pending; wait for its answer, then call again (R26, R27)");
        }
        try {
            hook.pending(rpc, key);
            return work.get();
        } finally {
            pending.remove(key);
        }
    }

    /** Returns the number of calls that were refused because of another call in flight. */
    public long overlapping() {
        return overlapping.sum();
    }
}
