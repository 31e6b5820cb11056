package io.csi4j.core.spi;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.state.ObservableState;
import java.util.concurrent.CompletableFuture;

/**
 * The only way the engine changes state: commands in one order, applied to one state. Safe for use by
 * many threads.
 */
public interface CommandLog {
    /**
     * Proposes a command.
     *
     * @param command what to do
     * @return completes with what came of it once it was applied to the {@link #state()} here, so that a
     *     snapshot taken then shows it; exceptionally, with a {@link io.csi4j.core.call.CsiException}, if
     *     that is not known: the command may have been applied, or may still be. Repeating it is harmless (I13)
     */
    CompletableFuture<Outcome> submit(Command command);

    /**
     * The state the commands are applied to.
     *
     * @return snapshots and watches
     */
    ObservableState state();
}
