package io.csi4j.core.lifecycle.internal.worker;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.command.Batch;
import io.csi4j.core.lifecycle.internal.call.Operations;
import java.util.ArrayList;
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
     */
    static CompletableFuture<Outcome> submit(Operations operations, List<Command> commands, boolean oneByOne) {
        if (commands.size() == 1 || !oneByOne) {
            return operations.ports().log().submit(asOneCommand(operations, commands));
        }
        CompletableFuture<List<Effect>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (Command command : commands) {
            all = all.thenCompose(effects -> operations
                    .ports()
                    .log()
                    .submit(command)
                    .thenApply(outcome -> {
                        if (outcome instanceof Outcome.Accepted accepted) {
                            effects.addAll(accepted.effects());
                        }
                        return effects;
                    }));
        }
        return all.thenApply(effects -> new Outcome.Accepted(true, effects));
    }

    /** Returns the only command, or a batch of several commands. */
    static Command asOneCommand(Operations operations, List<Command> commands) {
        return commands.size() == 1 ? commands.get(0) : new Batch(commands, operations.now());
    }
}
