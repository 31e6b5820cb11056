package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.lifecycle.internal.call.Operations;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Submits the commands of a worker, in one transaction if possible. */
final class WorkerWrites {
    private WorkerWrites() {}

    /**
     * Submits commands that have to be applied in their order, but not necessarily in one transaction.
     *
     * @param commands the commands, at least one
     * @param oneByOne true to submit each command in a transaction of its own, because an earlier
     *     attempt in one transaction was rejected
     * @return the outcome of the transaction; an accepted one without effects if there are several
     */
    static CompletableFuture<Outcome> submit(Operations operations, List<Command> commands, boolean oneByOne) {
        if (commands.size() == 1 || !oneByOne) {
            return operations.ports().log().submit(asOneCommand(operations, commands));
        }
        CompletableFuture<Outcome> all = CompletableFuture.completedFuture(new Outcome.Accepted(true, List.of()));
        for (Command command : commands) {
            all = all.thenCompose(
                    accepted -> operations.ports().log().submit(command).thenApply(outcome -> accepted));
        }
        return all;
    }

    /** Returns the only command, or a batch of several commands. */
    static Command asOneCommand(Operations operations, List<Command> commands) {
        return commands.size() == 1 ? commands.get(0) : new Batch(commands, operations.now());
    }
}
