package io.csi4j.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.state.StateScope;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** The contract of a {@link CommandLog} that keeps its commands over a restart and a crash. */
public interface DurableLogContract extends CommandLogContract {
    /**
     * Lets a log crash, and opens its successor, which has only what was durable at this moment. For example: copies the files of the open log
     * to a new directory, cuts each file to its length at its last flush, closes the log, and opens the copy. A copy with bytes that were
     * written but not flushed shows a crash of the process only, and hides a log that shows a command a little before it is durable.
     *
     * @param log the open log; the tests do not close it any more
     * @return the successor; {@link #close} closes it
     */
    CommandLog crashed(CommandLog log) throws IOException;

    /** A command that was answered survives a crash. */
    @Test
    default void answeredCommandSurvivesCrash() throws Exception {
        try (LogUse use = LogUse.of(this)) {
            use.accepted(LogCommands.register(0));
            use.crash(this);
            use.awaitVolume("the answered command after the crash", 0);
        }
    }

    /** A command that the state shows survives a crash, also if it was not answered yet. */
    @Test
    default void visibleCommandSurvivesCrash() throws Exception {
        try (LogUse use = LogUse.of(this)) {
            CompletableFuture<Outcome> unanswered = use.log().submit(LogCommands.register(0));
            use.awaitVolume("the command in the state", 0);
            use.crash(this);
            use.awaitVolume("the command that was visible before the crash", 0);
            assertThat(unanswered).isNotNull();
        }
    }

    /** A restart applies the commands in the order in which they were applied before, each at its index. */
    @Test
    default void restartKeepsOrderOfCommands() throws Exception {
        try (LogUse use = LogUse.of(this)) {
            List<CompletableFuture<Outcome>> answers = new ArrayList<>();
            for (int i = 0; i < 10; i++) {
                answers.add(use.log().submit(LogCommands.register(i)));
            }
            for (CompletableFuture<Outcome> answer : answers) {
                LogUse.within("an answer", patience(), answer);
            }
            use.await(
                    "all commands in the state",
                    StateScope.volumes(LogCommands.key(0).namespace(), ""),
                    state -> indexes(state).size() == 10);
            List<Long> before = indexes(use.state());
            use.restart();
            use.await(
                    "all commands after the restart",
                    StateScope.volumes(LogCommands.key(0).namespace(), ""),
                    state -> indexes(state).size() == 10);
            assertThat(indexes(use.state()))
                    .as("the indexes at which the volumes were registered, after a restart")
                    .isEqualTo(before);
        }
    }

    /** A closed log refuses a command, and does not apply it later. */
    @Test
    default void commandRefusedByClosedLogIsNeverApplied() throws Exception {
        CommandLog closed = open();
        close(closed);
        CompletableFuture<Outcome> refused = closed.submit(LogCommands.register(0));
        Throwable failure = catchThrowable(() -> refused.get(patience().toMillis(), TimeUnit.MILLISECONDS));
        assertThat(failure)
                .as("the failure of a command that was submitted to a closed log")
                .isNotNull()
                .isNotInstanceOf(TimeoutException.class);
        try (LogUse use = LogUse.of(this)) {
            use.accepted(LogCommands.register(1));
            use.awaitVolume("the next command in the state", 1);
            assertThat(use.state().volume(LogCommands.key(0)))
                    .as("the volume whose registration was refused")
                    .isEmpty();
        }
    }

    private static List<Long> indexes(StateReader state) {
        List<Long> indexes = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            state.volume(LogCommands.key(i)).ifPresent(volume -> indexes.add(volume.createIndex()));
        }
        return indexes;
    }
}
