package io.csi4j.admin.internal.console;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.LeadershipListener;
import io.csi4j.core.spi.LogFailedException;
import io.csi4j.core.spi.LogStatus;
import io.csi4j.core.spi.ReplicatedLog;
import io.csi4j.core.state.ObservableState;
import io.csi4j.core.state.StateReader;
import java.util.concurrent.CompletableFuture;

/** A log with a given status, over a log of one server. */
final class ShownLog implements ReplicatedLog {
    private final CommandLog log;
    private final LogStatus status;
    final CompletableFuture<LogFailedException> failed = new CompletableFuture<>();

    ShownLog(CommandLog log, LogStatus status) {
        this.log = log;
        this.status = status;
    }

    @Override
    public LogStatus status() {
        return status;
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
    public Runnable onLeadership(LeadershipListener listener) {
        listener.startLeading();
        return () -> {};
    }

    @Override
    public CompletableFuture<Long> takeSnapshot() {
        return CompletableFuture.completedFuture(status.snapshotIndex());
    }

    @Override
    public CompletableFuture<LogFailedException> failed() {
        return failed.copy();
    }

    @Override
    public void close() {
        // The rig of the test closes the log below.
    }
}
