package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.command.Command;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What came of a call.
 *
 * @param facts what to write, in one transaction; empty: nothing
 * @param all the same, and what follows from them, which can as well be written later
 * @param refusal what whoever waits is told; null: it will be tried again, or is done
 */
record CallResult(
        List<Command> facts, List<Command> all, @Nullable Throwable refusal) {
    private static final CallResult NOTHING = new CallResult(List.of(), List.of(), null);

    static CallResult nothing() {
        return NOTHING;
    }

    static CallResult with(Command fact) {
        List<Command> facts = List.of(fact);
        return new CallResult(facts, facts, null);
    }
}
