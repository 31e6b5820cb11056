package io.csi4j.testkit.internal.call;

import io.csi4j.core.call.Rpc;
import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** The fault rules of a plugin, in the order in which they were added. Thread-safe. */
public final class ActiveFaults {
    private final List<ActiveFault> rules = new CopyOnWriteArrayList<>();
    private final AtomicLong ids = new AtomicLong();

    /** Adds a rule after all existing rules. */
    public Fault add(FaultRule rule) {
        return added(rule);
    }

    /** Adds a rule after all existing rules, and returns its id. */
    public long addAndNumber(FaultRule rule) {
        return added(rule).id();
    }

    private ActiveFault added(FaultRule rule) {
        ActiveFault fault = new ActiveFault(ids.incrementAndGet(), rule, this);
        rules.add(fault);
        return fault;
    }

    /** Returns the rules in their order. */
    public List<Fault> all() {
        return List.copyOf(rules);
    }

    /** Returns the ids of the rules, in their order. */
    public List<Long> ids() {
        return rules.stream().map(ActiveFault::id).toList();
    }

    /** Returns a rule by its id; empty: removed, or never added. */
    public Optional<Fault> byId(long id) {
        return rules.stream()
                .filter(rule -> rule.id() == id)
                .<Fault>map(rule -> rule)
                .findFirst();
    }

    public void removeAll() {
        rules.forEach(ActiveFault::remove);
    }

    void forget(ActiveFault fault) {
        rules.remove(fault);
    }

    /** Returns the first rule that acts on a call, after the rule has counted the call; null: no rule acts. */
    @Nullable ActiveFault claim(Rpc rpc, Optional<String> volume, Optional<String> node) {
        for (ActiveFault rule : rules) {
            if (rule.claims(rpc, volume, node)) {
                return rule;
            }
        }
        return null;
    }
}
