package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.command.Command;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The result of a call: commands that record it, and the failure for the callers.
 *
 * @param facts the commands that record the result, for one transaction; empty if nothing has to be recorded
 * @param all the commands of {@code facts} and their follow-ups, for one transaction; if the state rejects it, only
 *     {@code facts} are submitted and the follow-ups are planned again
 * @param refusal the plugin's refusal, for the callers; null if the call succeeded or will be retried
 */
record ResultCommands(
        List<Command> facts, List<Command> all, @Nullable Throwable refusal) {
    private static final ResultCommands NOTHING = new ResultCommands(List.of(), List.of(), null);

    static ResultCommands nothing() {
        return NOTHING;
    }

    static ResultCommands with(Command fact) {
        List<Command> facts = List.of(fact);
        return new ResultCommands(facts, facts, null);
    }
}
