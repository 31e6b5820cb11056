package io.csi4j.core.spi;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.state.ObservableState;
import java.util.concurrent.CompletableFuture;

/**
 * The only way the engine changes state: commands in one order, applied to one state. Safe for use by
 * many threads.
 *
 * <p><b>Durable before visible.</b> {@link #state()} shows a command, in snapshots and to watches, only when no crash
 * can take it back: it is committed, and as durable as the host needs it. The engine sends calls to plugins on the
 * strength of what the state shows. If a crash takes back an intent after its call was sent, an attachment stays at the
 * provider that nothing knows of. A log that writes to a disk or to other servers applies a command to its state after
 * that, and completes the future of {@link #submit} last.
 *
 * <p>The engine also waits for the answer to each of its own commands before it begins a call for the volume. That
 * guard does not cover commands of other servers, or those from before a restart: for these the state is all it has.
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
