package io.csi4j.testkit;

import io.csi4j.testkit.fault.Fault;
import io.csi4j.testkit.fault.FaultRule;
import io.csi4j.testkit.history.CallHistory;
import io.csi4j.testkit.internal.control.ControlClient;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/** A fault rule of a plugin that runs in its own process. */
final class ProcessFault implements Fault {
    private final ControlClient control;
    private final long id;
    private final FaultRule rule;
    private final Supplier<CallHistory> history;
    /** The number of calls that the rule had changed when it was removed; negative: it has not been removed. */
    private long usedAtRemoval = -1;

    ProcessFault(ControlClient control, long id, FaultRule rule, Supplier<CallHistory> history) {
        this.control = control;
        this.id = id;
        this.rule = rule;
        this.history = history;
    }

    @Override
    public FaultRule rule() {
        return rule;
    }

    @Override
    public synchronized long used() {
        if (usedAtRemoval >= 0) {
            return usedAtRemoval;
        }
        try {
            return control.list("faults").stream()
                    .map(line -> line.split(" ", 3))
                    .filter(words -> Long.parseLong(words[0]) == id)
                    .map(words -> Long.parseLong(words[1]))
                    .findFirst()
                    .orElseGet(this::usesInHistory);
        } catch (UncheckedIOException ended) {
            return usesInHistory();
        }
    }

    /**
     * Counts in the call history how often the rule acted. Used after the plugin's process has ended, because the
     * process can then not be asked.
     */
    private long usesInHistory() {
        Optional<String> text = Optional.of(rule.toString());
        return history.get().that(call -> call.fault().equals(text)).calls().size();
    }

    @Override
    public void awaitUse(long count, Duration maxWait) {
        try {
            control.ask("await " + id + " " + count + " " + maxWait.toMillis());
        } catch (UncheckedIOException ended) {
            if (usesInHistory() < count) {
                throw new IllegalStateException("the process ended before the fault '" + rule + "' was used", ended);
            }
        }
    }

    @Override
    public synchronized void remove() {
        if (usedAtRemoval < 0) {
            usedAtRemoval = Long.parseLong(control.ask("remove " + id));
        }
    }

    @Override
    public String toString() {
        return rule.toString();
    }
}
