package io.csi4j.core.lifecycle;

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
record CallEnd(
        List<Command> facts, List<Command> all, @Nullable Throwable refusal) {
    private static final CallEnd NOTHING = new CallEnd(List.of(), List.of(), null);

    static CallEnd nothing() {
        return NOTHING;
    }

    static CallEnd with(Command fact) {
        List<Command> facts = List.of(fact);
        return new CallEnd(facts, facts, null);
    }
}
