package io.csi4j.simulation.internal.database;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import java.util.concurrent.CompletableFuture;

/** A command of a server that waits for its outcome. */
final class Submission {
    private final long number;
    private final long term;
    private final Command command;
    private final CompletableFuture<Outcome> outcome = new CompletableFuture<>();
    private boolean unknown;

    /**
     * Creates a submission.
     *
     * @param number its number at this server
     * @param term the leadership to which it is bound; 0: none
     */
    Submission(long number, long term, Command command) {
        this.number = number;
        this.term = term;
        this.command = command;
    }

    long number() {
        return number;
    }

    long term() {
        return term;
    }

    Command command() {
        return command;
    }

    CompletableFuture<Outcome> outcome() {
        return outcome;
    }

    /** Notes that a transaction with the command has had no answer. */
    void failed() {
        unknown = true;
    }

    /** Whether the log may have the command already. */
    boolean unknown() {
        return unknown;
    }
}
