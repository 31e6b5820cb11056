package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.command.Command;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a call.
 *
 * @param facts the commands that record the result, for one transaction; empty: nothing to record
 * @param all the same commands with their follow-ups, which may also be written later
 * @param refusal the failure for the callers; null: the call succeeded, or will be retried
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
