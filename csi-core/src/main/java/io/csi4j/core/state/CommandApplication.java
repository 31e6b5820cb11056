package io.csi4j.core.state;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;

/**
 * Decides what a command does to the state.
 */
public final class CommandApplication {
    private CommandApplication() {}

    /**
     * Applies a command. Deterministic: the same command on the same state does the same, everywhere.
     *
     * <p>If the outcome is {@link Outcome.Rejected}, rows may have been written before the reason was
     * found (in a batch, or among several claims): the caller discards whatever the state was given.
     *
     * @param state where to
     * @param index the index of the command, above {@link StateReader#index()}
     * @param command what to do
     * @return what came of it
     */
    @SuppressWarnings("DoNotCallSuggester") // the decisions follow with the next commit
    public static Outcome apply(WritableState state, long index, Command command) {
        if (index > state.index()) {
            throw new UnsupportedOperationException(command + ": follows with the next commit");
        }
        throw new IllegalArgumentException("index " + index + " is not above " + state.index());
    }
}
