package io.csi4j.core.spi;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.state.ObservableState;
import java.util.concurrent.CompletableFuture;

/**
 * The log of commands through which the engine changes the state. It gives all commands an order, and applies them in
 * this order to the state. Safe for use by many threads.
 *
 * <p><b>Durable before visible.</b> {@link #state()} shows a command, in snapshots and to watches, only when no crash
 * can undo it: the command is committed and as durable as the host needs. The engine calls plugins on the basis of the
 * state. Without this rule, a crash could undo a stored intent after its call was sent, and the storage provider would
 * have an attachment for which the state has no row. A log that writes to a disk or to other servers writes first, then
 * applies the command to its state, and completes the future of {@link #submit} last.
 *
 * <p>The engine also waits for the result of each of its own commands before it begins a call for the volume. It cannot
 * wait for commands of other servers, or for commands from before a restart. For these it relies on the state alone.
 */
public interface CommandLog {
    /**
     * Submits a command.
     *
     * @return a future that completes with the outcome after the command was applied to {@link #state()}, so that a
     *     later snapshot includes the command. The future fails with a {@link io.csi4j.core.call.CsiException} if the
     *     outcome is unknown: the command may have been applied, or may still be applied. The caller may submit the
     *     same command again. It fails with a {@link LogClosedException} or a {@link CommandTooLargeException} if the
     *     command was not applied and never will be. A log that throws or returns null, or completes the future with null or before its state
     *     includes the command, breaks this contract: the engine logs that, and treats the outcome as unknown
     */
    CompletableFuture<Outcome> submit(Command command);

    /** Returns the state to which the commands are applied. */
    ObservableState state();
}
