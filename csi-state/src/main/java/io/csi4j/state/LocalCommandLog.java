package io.csi4j.state;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.core.state.ObservableState;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * The command log of a host that keeps the state in one process: each command is applied at once, on the caller's thread. Nothing is
 * written to disk. Thread-safe.
 *
 * <p>A caller waits for other writers for at most {@link StateStoreOptions#writeTimeout()}.
 */
public final class LocalCommandLog implements CommandLog {
    private final StateStore store;

    /** Creates a log that applies its commands to a store. The caller closes the store. */
    public LocalCommandLog(StateStore store) {
        this.store = Objects.requireNonNull(store, "store");
    }

    /**
     * Applies a command.
     *
     * @return a completed future with the outcome. If the command was not applied, the future has failed: with a {@link
     *     LogClosedException} if the store is closed, otherwise with the exception of {@link StateStore#apply}
     */
    @Override
    public CompletableFuture<Outcome> submit(Command command) {
        Objects.requireNonNull(command, "command");
        try {
            return CompletableFuture.completedFuture(store.apply(command));
        } catch (StoreClosedException e) {
            return CompletableFuture.failedFuture(new LogClosedException("StateStore"));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    @Override
    public ObservableState state() {
        return store;
    }
}
