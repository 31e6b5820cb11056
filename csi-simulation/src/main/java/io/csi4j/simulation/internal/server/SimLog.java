package io.csi4j.simulation.internal.server;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.command.ClaimCommand;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import io.csi4j.simulation.internal.time.SimProcess;
import io.csi4j.simulation.internal.world.SimWorld;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The command log as one server process uses it. Commands and answers take time and may be lost; after a crash it is open
 * whether a submitted command was applied.
 */
public final class SimLog implements CommandLog {
    private static final Duration LATENCY = Duration.ofMillis(3);
    private static final Duration MAX_DELAY = Duration.ofSeconds(90);

    private final SimWorld world;
    private final SimProcess process;

    public SimLog(SimWorld world, SimProcess process) {
        this.world = world;
        this.process = process;
    }

    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        if (!process.begins()) {
            return new CompletableFuture<>();
        }
        world.grace().onSubmit(process, world.store().snapshot(), command);
        CompletableFuture<Outcome> answer = world.faults().logDelays() ? submitDelayed(command) : submitInTime(command);
        if (command instanceof ClaimCommand.TakeClaims take) {
            world.order().onTakeSubmitted(process, take, answer);
        }
        return answer;
    }

    private CompletableFuture<Outcome> submitInTime(Command command) {
        CompletableFuture<Outcome> answer = new CompletableFuture<>();
        int restores = world.backup().restores();
        boolean lost = world.faults().logFails();
        boolean applied = !lost || world.faults().coin();
        world.scheduler().within(LATENCY, () -> {
            // A command of a crashed server may still be applied.
            if (applied
                    && restores == world.backup().restores()
                    && (process.alive() || world.faults().coin())) {
                if (!process.alive()) {
                    world.coverage().fault("command of a crashed server");
                }
                Outcome outcome = world.apply(process, command);
                if (!lost) {
                    world.scheduler().within(LATENCY, () -> process.run(() -> answer.complete(outcome)));
                }
            }
            if (lost) {
                world.coverage().fault(applied ? "log answer lost" : "command lost");
                failWithoutAnswer(answer);
            }
        });
        return answer;
    }

    private void failWithoutAnswer(CompletableFuture<Outcome> answer) {
        world.scheduler()
                .within(
                        LATENCY,
                        () -> process.run(() -> answer.completeExceptionally(
                                new CsiException("the log did not answer; the command may have been applied"))));
    }

    /**
     * Applies the command long after its submission. The future fails soon after the submission, or never completes: it
     * never gives the outcome.
     */
    private CompletableFuture<Outcome> submitDelayed(Command command) {
        CompletableFuture<Outcome> answer = new CompletableFuture<>();
        if (world.faults().coin()) {
            world.scheduler().within(LATENCY, () -> failWithoutAnswer(answer));
        } else {
            world.coverage().fault("log never answers");
        }
        int restores = world.backup().restores();
        world.changeDelayedCommands(1);
        world.scheduler().within(MAX_DELAY, () -> {
            world.changeDelayedCommands(-1);
            if (restores == world.backup().restores()) {
                world.coverage().fault("command delayed");
                Outcome unused = world.apply(null, command);
            }
        });
        return answer;
    }

    @Override
    public ObservableState state() {
        return world.store();
    }
}
