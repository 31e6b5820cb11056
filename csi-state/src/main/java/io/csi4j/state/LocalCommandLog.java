package io.csi4j.state;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.spi.CommandLog;
import io.csi4j.core.spi.LogClosedException;
import io.csi4j.core.state.ObservableState;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * The command log of a host that keeps the state in one process: a command is applied at once, on the
 * caller's thread. Nothing is written to a disk. Safe for use by many threads.
 *
 * <p>A caller waits for its turn to write, and no longer than {@link StateStoreOptions#writeTimeout()}.
 */
public final class LocalCommandLog implements CommandLog {
    private final StateStore store;

    /**
     * The log of a store. Whoever made the store closes it.
     *
     * @param store what commands are applied to
     */
    public LocalCommandLog(StateStore store) {
        this.store = Objects.requireNonNull(store, "store");
    }

    /**
     * Applies a command.
     *
     * @param command what to do
     * @return completed: with what came of it, or exceptionally with a {@link
     *     LogClosedException} if the store is closed, or else with what {@link StateStore#apply} throws; then nothing
     *     was changed
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
