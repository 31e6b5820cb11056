package io.csi4j.testkit.sim;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.state.ObservableState;
import java.time.Clock;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Makes the engine behave as if it had a defect: in what it sees, in what it writes, in its calls, or in its timers. */
final class Planted {
    /** The first waits before the next attempt are not longer. */
    private static final Duration RETRY = Duration.ofSeconds(5);

    private final Mutation mutation;
    private final PlantedView view;
    private final PlantedWrites writes;
    private final PlantedCalls calls;

    Planted(Mutation mutation, ObservableState truth, Clock clock) {
        this.mutation = mutation;
        this.view = new PlantedView(mutation);
        this.writes = new PlantedWrites(mutation, truth, clock);
        this.calls = new PlantedCalls(mutation, truth);
    }

    Timer in(Timer timer) {
        return switch (mutation) {
            case RETRIES_ARE_FORGOTTEN -> (delay, task) -> () -> {};
            case REFUSED_WRITE_SETS_NO_TIMER ->
                (delay, task) ->
                        writes.refusedJustNow() && delay.compareTo(RETRY) <= 0 ? () -> {} : timer.schedule(delay, task);
            default -> timer;
        };
    }

    CommandLog in(CommandLog log) {
        if (mutation == Mutation.NONE) {
            return log;
        }
        ObservableState state = view.of(log.state());
        return new CommandLog() {
            @Override
            public CompletableFuture<Outcome> submit(Command command) {
                return writes.submit(log, command);
            }

            @Override
            public ObservableState state() {
                return state;
            }
        };
    }

    PlantedCalls calls() {
        return calls;
    }
}
