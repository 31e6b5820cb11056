package io.csi4j.micrometer;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.core.spi.LogCommit;
import io.csi4j.core.spi.LogDetails;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A log of servers "a" and "b" with the figures that a test sets, over a log of one server. */
final class ShownLog implements ReplicatedLog {
    private final CommandLog log;
    long term = 1;
    long last = 1_000;
    long first = 1;
    long appliedByOther = 1_000;
    Duration silence = Duration.ofSeconds(2);
    Duration leaseAge = Duration.ofMillis(500);
    long failures;
    Optional<LogDetails.Trouble> trouble = Optional.empty();
    /** Whether the status can be read. */
    boolean readable = true;

    private @Nullable Consumer<LogCommit> listener;

    ShownLog(CommandLog log) {
        this.log = log;
    }

    void commit(Duration took) {
        Consumer<LogCommit> present = listener;
        if (present != null) {
            present.accept(new LogCommit(LogCommit.Result.COMMITTED, 1, took));
        }
    }

    @Override
    public LogStatus status() {
        if (!readable) {
            throw new IllegalStateException("the log is broken");
        }
        return new LogStatus(
                "a",
                true,
                Optional.of("a"),
                Optional.empty(),
                term,
                last,
                last,
                last,
                900,
                List.of("a", "b"),
                new LogDetails(
                        OptionalLong.of(first),
                        Optional.of(new LogDetails.Snapshot(900, 4_096, Optional.of(Duration.ofMinutes(1)))),
                        List.of(server("a", last, Duration.ZERO), server("b", appliedByOther, silence)),
                        Optional.of(leaseAge),
                        trouble,
                        failures,
                        3,
                        300));
    }

    private static LogDetails.Server server(String name, long applied, Duration silent) {
        return new LogDetails.Server(name, OptionalLong.of(applied), Optional.of(silent), Optional.of("1"));
    }

    @Override
    public Runnable onCommit(Consumer<LogCommit> added) {
        listener = added;
        return () -> listener = null;
    }

    boolean listened() {
        return listener != null;
    }

    @Override
    public ObservableState state() {
        return log.state();
    }

    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        return log.submit(command);
    }

    @Override
    public CompletableFuture<StateReader> readLinearizable() {
        return CompletableFuture.completedFuture(state().snapshot());
    }

    @Override
    public Runnable onLeadership(LeadershipListener added) {
        added.startLeading();
        return () -> {};
    }

    @Override
    public CompletableFuture<Long> takeSnapshot() {
        return CompletableFuture.completedFuture(900L);
    }

    @Override
    public CompletableFuture<LogFailedException> failed() {
        return new CompletableFuture<>();
    }

    @Override
    public void close() {
        // The engine of the test closes the log below.
    }
}
