package io.csi4j.examples.steps;

import io.csi4j.core.call.Rpc;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;

/**
 * The undo of one step.
 *
 * @param step the name in the log
 * @param subject the subject in the log, for example {@code volume vol-1}. If an undo step fails, the earlier steps of the same
 *     subject are not undone: a volume whose unpublish failed must not be detached or deleted (R47-R49)
 * @param quiet whether success prints no line
 * @param action undoes the step; may be repeated
 * @param leftover what remains if the undo fails, and how to remove it; empty if nothing important
 */
public record UndoStep(String step, String subject, boolean quiet, Action action, String leftover) {
    /** The action of an undo step. */
    public interface Action {
        /**
         * Undoes the step.
         *
         * @param calls sends a call and waits for its answer
         * @throws IOException if it fails
         */
        void run(CallRetrier calls) throws IOException;
    }

    /** An action of this program itself. */
    public interface LocalAction {
        /**
         * Runs the action.
         *
         * @throws IOException if it fails
         */
        void run() throws IOException;
    }

    /**
     * Undoes a call with the opposite RPC, because CSI has no other cancellation (R30).
     *
     * @param rpc the opposite RPC
     * @param subject the subject in the log
     * @param call sends the call
     * @param leftover what remains if the undo fails, and how to remove it
     * @param <T> the type of the answer
     * @return the undo step
     */
    public static <T> UndoStep call(Rpc rpc, String subject, Supplier<CompletableFuture<T>> call, String leftover) {
        return new UndoStep(rpc.csiName(), subject, false, calls -> calls.answer(call), leftover);
    }

    /**
     * Undoes a step with an action of this program itself; prints no line unless it fails.
     *
     * @param step the name in the log
     * @param subject the subject in the log
     * @param action undoes the step
     * @param leftover what remains if the undo fails, and how to remove it
     * @return the undo step
     */
    public static UndoStep local(String step, String subject, LocalAction action, String leftover) {
        return new UndoStep(step, subject, true, calls -> action.run(), leftover);
    }
}
