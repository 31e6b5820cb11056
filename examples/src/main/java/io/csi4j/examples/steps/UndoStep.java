package io.csi4j.examples.steps;

import io.csi4j.core.call.Rpc;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The undo of one step.
 *
 * @param step the name in the log
 * @param subject the subject in the log, for example {@code volume vol-1}. If an undo step fails, the earlier steps of
 *     the same subject are not undone: a volume whose unpublish failed must not be detached or deleted (R47-R49)
 * @param quiet true: no line is printed if the undo succeeds
 * @param action undoes the step; has to permit repeated execution
 * @param leftover a text for a failed undo: the object that remains, and how to remove it; empty if nothing important
 *     remains
 */
public record UndoStep(String step, String subject, boolean quiet, Action action, String leftover) {
    /** The action of an undo step. */
    public interface Action {
        /**
         * Undoes the step.
         *
         * @param calls sends calls and waits for their responses
         * @throws IOException if the action fails
         */
        void run(CallRetrier calls) throws IOException;
    }

    /** An action that is not a call to the plugin. */
    public interface LocalAction {
        /**
         * Runs the action.
         *
         * @throws IOException if the action fails
         */
        void run() throws IOException;
    }

    /**
     * Returns a step that undoes a call with the opposite RPC, because CSI has no other cancellation (R30).
     *
     * @param rpc the opposite RPC
     * @param subject the subject in the log
     * @param call sends the call
     * @param leftover a text for a failed undo: the object that remains, and how to remove it
     * @param <T> the type of the answer
     * @return the undo step
     */
    public static <T> UndoStep call(Rpc rpc, String subject, Supplier<CompletableFuture<T>> call, String leftover) {
        return new UndoStep(rpc.csiName(), subject, false, calls -> calls.answer(call), leftover);
    }

    /**
     * Returns a step that undoes another one with an action that is not a call to the plugin; prints a line only if the action fails.
     *
     * @param step the name in the log
     * @param subject the subject in the log
     * @param action undoes the step
     * @param leftover a text for a failed undo: the object that remains, and how to remove it
     * @return the undo step
     */
    public static UndoStep local(String step, String subject, LocalAction action, String leftover) {
        return new UndoStep(step, subject, true, calls -> action.run(), leftover);
    }
}
