package io.csi4j.core.lifecycle;

import io.csi4j.core.command.Batch;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Effect;
import io.csi4j.core.command.Outcome;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Proposes what a lane has to write down, in one transaction where it can. */
final class LaneWrites {
    private final Operations operations;

    LaneWrites(Operations operations) {
        this.operations = operations;
    }

    /** Facts that depend on each other only in their order. */
    record Facts(List<Command> commands) {
        Facts {
            commands = List.copyOf(commands);
        }
    }

    /**
     * Proposes facts.
     *
     * @param facts what to write, at least one
     * @param oneByOne whether a refusal of one must not keep the others out, as it did before
     */
    CompletableFuture<Outcome> submit(Facts facts, boolean oneByOne) {
        List<Command> commands = facts.commands();
        if (commands.size() == 1) {
            return submit(commands.get(0));
        }
        if (!oneByOne) {
            return submit(new Batch(commands, operations.now()));
        }
        CompletableFuture<List<Effect>> all = CompletableFuture.completedFuture(new ArrayList<>());
        for (Command command : commands) {
            all = all.thenCompose(effects -> submit(command).thenApply(outcome -> {
                if (outcome instanceof Outcome.Accepted accepted) {
                    effects.addAll(accepted.effects());
                }
                return effects;
            }));
        }
        return all.thenApply(effects -> new Outcome.Accepted(true, effects));
    }

    private CompletableFuture<Outcome> submit(Command command) {
        return operations.ports().log().submit(command);
    }

    static boolean freesClaims(Outcome.Accepted accepted) {
        return accepted.effects().stream().anyMatch(Effect.ClaimFreed.class::isInstance);
    }
}
