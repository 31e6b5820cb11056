package io.csi4j.core.internal.command;

import io.csi4j.core.command.Command;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/**
 * Several commands that are applied in their order as one transaction: if one is rejected, none is applied.
 *
 * @param commands at least one command, none of them a batch
 * @param at the time when the command was proposed, by the clock of the server that proposed it
 */
public record Batch(List<Command> commands, Instant at) implements Command {
    /** @throws IllegalArgumentException if the list is empty or contains a batch */
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
