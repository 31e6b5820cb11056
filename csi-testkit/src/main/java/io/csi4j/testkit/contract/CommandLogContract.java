package io.csi4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.Claim;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/**
 * The contract of {@link CommandLog} as tests, for a log of a host. A log that writes to a disk implements {@link
 * DurableLogContract}.
 */
public interface CommandLogContract {
    /** Opens the log. Each test calls it first with nothing stored; after {@link #close}, it opens the same log again. */
    CommandLog open() throws IOException;

    /** Closes a log of {@link #open}. */
    void close(CommandLog log) throws IOException;

    /** Returns the time after which an answer counts as missing; 20 seconds. */
    default Duration patience() {
        return Duration.ofSeconds(20);
    }

    /** Commands in flight at one time, and commands without an effect, are all answered, each with its own outcome. */
    @Test
    default void everyCommandIsAnswered() throws Exception {
        try (LogUse use = LogUse.of(this)) {
            List<CompletableFuture<Outcome>> registrations = new ArrayList<>();
            List<CompletableFuture<Outcome>> nodes = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                registrations.add(use.log().submit(LogCommands.register(i)));
                nodes.add(use.log().submit(LogCommands.node()));
            }
            for (CompletableFuture<Outcome> answer : registrations) {
                assertThat(LogUse.within("an answer", patience(), answer))
                        .as("the outcome of the registration of a new volume")
                        .isInstanceOfSatisfying(
                                Outcome.Accepted.class,
                                outcome -> assertThat(outcome.changed())
                                        .as("changed, in the outcome of the registration of a new volume")
                                        .isTrue());
            }
            for (CompletableFuture<Outcome> answer : nodes) {
                assertThat(LogUse.within("an answer", patience(), answer))
                        .as("the outcome of a command that may have no effect")
                        .isInstanceOf(Outcome.Accepted.class);
            }
        }
    }

    /** Neither a future, nor an outcome, nor the state is null, also if the state rejects the command. */
    @Test
    default void noAnswerIsNull() throws Exception {
        try (LogUse use = LogUse.of(this)) {
            assertThat(use.log().state()).as("the state").isNotNull();
            CompletableFuture<Outcome> answer = use.log().submit(LogCommands.rejected());
            assertThat(answer).as("the future of a command").isNotNull();
            Outcome outcome = LogUse.within("the outcome of a rejected command", patience(), answer);
            assertThat(outcome).as("the outcome of a rejected command").isNotNull();
            assertThat(outcome.accepted()).as("accepted").isFalse();
        }
    }

    /** The state shows a command when its future completes. */
    @Test
    default void answeredCommandIsInTheState() throws Exception {
        try (LogUse use = LogUse.of(this)) {
            for (int i = 0; i < 50; i++) {
                int number = i;
                CompletableFuture<StateReader> seen =
                        use.log().submit(LogCommands.register(i)).thenApply(outcome -> use.state());
                StateReader state = LogUse.within("an answer", patience(), seen);
                assertThat(state.volume(LogCommands.key(number)))
                        .as("volume %s in the state, when its registration was answered", number)
                        .isPresent();
            }
        }
    }

    /** A command is applied once: the state has the claim with the index that the outcome says. */
    @Test
    default void commandIsAppliedOnce() throws Exception {
        try (LogUse use = LogUse.of(this)) {
            for (Command command : LogCommands.beforeClaim()) {
                use.accepted(command);
            }
            long taken = LogCommands.takenIndex(use.accepted(LogCommands.claim()));
            // A second application that comes later comes before this command.
            use.accepted(LogCommands.register(1));
            use.awaitVolume("the last command in the state", 1);
            assertThat(use.state()
                            .volume(LogCommands.key(0))
                            .flatMap(volume -> volume.claims().get(LogCommands.ALLOCATION))
                            .map(Claim::takenIndex))
                    .as("the index of the claim, which each application of the command changes")
                    .hasValue(taken);
        }
    }
}
