package io.csi4j.core.spi;

import io.csi4j.core.command.Command;
import io.csi4j.core.command.Outcome;
import io.csi4j.core.state.ObservableState;
import java.util.concurrent.CompletableFuture;

/**
 * The log of commands through which the engine changes the state. It gives all commands an order, and applies them in
 * this order to the state. Safe for use by many threads. {@code CommandLogContract} of csi-testkit has this contract as
 * tests.
 *
 * <p><b>Durable before visible.</b> {@link #state()} shows a command, in snapshots and to watches, only when no crash
 * can undo it: the command is committed and as durable as the host needs. The engine calls plugins on the basis of the
 * state. Without this rule, a crash could undo a stored intent after its call was sent, and the storage provider would
 * have an attachment for which the state has no row. A log that writes to a disk or to other servers writes first, then
 * applies the command to its state, and completes the future of {@link #submit} last.
 *
 * <p>The engine also waits for the result of each of its own commands before it begins a call for the volume. It cannot
 * wait for commands of other servers, or for commands from before a restart. For these it relies on the state alone.
 *
 * <p><b>Order.</b> All servers apply the same commands in the same order, each at its index, which is above 0 and
 * increases; gaps are allowed. The outcome is that of the command at its place in this order. The caller may have many
 * commands in flight, for one volume too, and the log chooses their order. A command that is submitted after the future
 * of another one has completed comes after that one.
 *
 * <p><b>Duplicates.</b> The caller may submit the same command again after an unknown outcome. The log then applies both;
 * commands carry what they expect, so that a late repetition changes nothing newer. A log that repeats an entry by
 * itself, for example after a lost answer of its leader, applies it once: between the two copies another command may
 * have been applied, and the outcome of the second copy is not that of the first.
 *
 * <p><b>Threads and locks.</b> The engine calls from its executor, from timers and from threads of its callers, many at
 * a time, and holds no lock. Dependent stages of the future run on the thread that completes it: they are short, do not
 * block, and may call {@link #submit} and {@link #state()} again. So the log completes futures without holding a lock,
 * and a log that applies commands on one thread may complete them there.
 *
 * <p><b>Compaction and restart.</b> A log may replace its oldest entries by an encoding of the state at their last index.
 * The encoding is durable before the entries are removed. A log that starts again first restores the newest encoding,
 * and applies each later entry once, at the index that it had. An entry whose end is missing was never answered and is
 * dropped; a damaged entry before other entries must stop the start. The engine starts to lead only after this, and
 * with several servers only when the state has all commands that were committed before. It then finds all remaining
 * work in the state; the host repeats nothing.
 */
public interface CommandLog {
    /**
     * Submits a command. Returns soon: it may wait briefly for other commands, as for a lock, but not for a disk or a
     * network. The engine gives up a command without an answer after {@code LifecycleOptions.logTimeout()}; the command
     * may still be applied afterwards.
     *
     * @return a future that completes once, with the outcome, after the command was applied to {@link #state()}, so that
     *     a later snapshot includes the command. A rejection by the state is an outcome and no failure. The future fails
     *     with a {@link io.csi4j.core.call.CsiException} if the
     *     outcome is unknown: the command may have been applied, or may still be applied. The caller may submit the
     *     same command again. It fails with a {@link LogClosedException} or a {@link CommandTooLargeException} if the
     *     command was not applied and never will be, not even after a restart. A log that throws or returns null, or completes the future with null or before its state
     *     includes the command, breaks this contract: the engine logs that, and treats the outcome as unknown
     */
    CompletableFuture<Outcome> submit(Command command);

    /**
     * Returns the state to which the commands are applied. Always the same object; never blocks, never null, also after
     * the log was closed. The caller does not close it.
     */
    ObservableState state();
}
