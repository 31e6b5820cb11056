package io.csi4j.core.lifecycle.internal.call;

import io.csi4j.core.call.CsiException;
import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.internal.concurrent.Timeouts;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * A command log with a time limit. A command that the log does not answer within the limit fails, and its outcome is
 * unknown.
 */
public final class TimeLimitedLog implements CommandLog {
    private final CommandLog log;
    private final Timeouts timeouts;
    private final Duration timeout;

    public TimeLimitedLog(CommandLog log, Timeouts timeouts, Duration timeout) {
        this.log = log;
        this.timeouts = timeouts;
        this.timeout = timeout;
    }

    @Override
    public ObservableState state() {
        return log.state();
    }

    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        return timeouts.limit(log.submit(command), timeout, () -> new CsiException("no answer within " + timeout));
    }
}
