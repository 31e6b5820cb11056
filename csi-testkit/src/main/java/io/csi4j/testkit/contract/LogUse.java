package io.csi4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import java.io.IOException;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** A log under test, with waits that end. Closes the log. */
final class LogUse implements AutoCloseable {
    private final CommandLogContract contract;
    private @Nullable CommandLog log;

    private LogUse(CommandLogContract contract, CommandLog log) {
        this.contract = contract;
        this.log = log;
    }

    static LogUse of(CommandLogContract contract) throws IOException {
        return new LogUse(contract, contract.open());
    }

    CommandLog log() {
        return Objects.requireNonNull(log, "the log that open or crashed returned");
    }

    StateReader state() {
        return log().state().snapshot();
    }

    /** Submits a command, and returns its outcome. */
    Outcome accepted(Command command) throws Exception {
        Outcome outcome = within("an answer", contract.patience(), log().submit(command));
        assertThat(outcome).as("the outcome of %s", command).isInstanceOf(Outcome.Accepted.class);
        return outcome;
    }

    /** Waits until the state has the volume of a number. */
    void awaitVolume(String what, int number) throws Exception {
        VolumeKey key = LogCommands.key(number);
        await(what, StateScope.volume(key), state -> state.volume(key).isPresent());
    }

    /** Waits until the state fulfils a condition, which changes of the scope may fulfil. */
    void await(String what, StateScope scope, Predicate<StateReader> condition) throws Exception {
        StateReader seen = state();
        while (!condition.test(seen)) {
            CompletableFuture<Long> change = log().state().newerThan(scope, seen.index());
            within(what, contract.patience(), change);
            seen = state();
        }
    }

    /** Lets the log crash, and goes on with its successor. */
    void crash(DurableLogContract durable) throws Exception {
        CommandLog before = log();
        log = null;
        log = durable.crashed(before);
    }

    /** Closes the log, and goes on with its successor. */
    void restart() throws Exception {
        CommandLog before = log();
        log = null;
        contract.close(before);
        log = contract.open();
    }

    static <T> T within(String what, Duration patience, CompletableFuture<T> future) throws Exception {
        try {
            return future.get(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new AssertionError(what + " did not come within " + patience, e);
        } catch (ExecutionException e) {
            throw new AssertionError(what + " was a failure: " + e.getCause(), e.getCause());
        }
    }

    @Override
    public void close() throws IOException {
        CommandLog open = log;
        if (open != null) {
            log = null;
            contract.close(open);
        }
    }
}
