package io.csi4j.core.command;

import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Several commands in one transaction, in their order: all of them, or none.
 *
 * @param commands at least one, none of them a batch
 * @param at the time when the command was proposed, by the clock of the server that proposed it
 */
public record Batch(List<Command> commands, Instant at) implements Command {
    /**
     * Copies the list.
     *
     * @throws IllegalArgumentException if it is empty or holds a batch
     */
    public Batch {
        commands = List.copyOf(commands);
        Objects.requireNonNull(at, "at");
        boolean nested = false;
        for (Command command : commands) {
            nested |= command instanceof Batch;
        }
        if (commands.isEmpty() || nested) {
            throw new IllegalArgumentException("Batch: give at least one command, and no batch in a batch");
        }
    }
}
