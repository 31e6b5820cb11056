package io.csi4j.core.lifecycle.internal;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.state.ObservableState;
import java.util.concurrent.CompletableFuture;

/** A log for tests of parts that neither store nor read anything by themselves. */
public final class UnusedLog implements CommandLog {
    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        throw new UnsupportedOperationException("the test stores nothing");
    }

    @Override
    public ObservableState state() {
        throw new UnsupportedOperationException("the test reads no state from the log");
    }
}
