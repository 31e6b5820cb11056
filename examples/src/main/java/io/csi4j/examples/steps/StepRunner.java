package io.csi4j.examples.steps;

import io.csi4j.core.call.CallOutcome;
import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import io.csi4j.core.call.CsiRequestException;
import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Runs steps one by one and records how to undo them.
 *
 * <p>A step and the recording of its undo step run under one lock, so that an interruption finds either both or none. Undo steps run in
 * reverse order after success, failure and Ctrl-C. This is the order that R47-R49 demand: unpublish, unstage, detach, delete.
 */
public final class StepRunner {
    private final StepLog log;
    private final CallRetrier calls;
    private final UndoStack undoStack;
    /** The lock under which steps run; fair, so that an interruption gets the lock before the next step. */
    private final ReentrantLock lock = new ReentrantLock(true);

    private volatile boolean ended;

    /**
     * Creates a runner without steps.
     *
     * @param log prints the steps
     * @param limit the time limit of one step
     */
    public StepRunner(StepLog log, Duration limit) {
        this.log = log;
        this.calls = new CallRetrier(limit);
        this.undoStack = new UndoStack(log, calls);
    }

    /**
     * Returns the log of the steps.
     *
     * @return the log
     */
    public StepLog log() {
        return log;
    }

    /**
     * Makes a call that needs no undo.
     *
     * @param rpc the RPC
     * @param call sends the call
     * @param detail formats the response for the log
     * @param <T> the type of the response
     * @return the response
     * @throws StepFailedException if the call failed; its log line has been printed
     */
    public <T> T call(Rpc rpc, Supplier<CompletableFuture<T>> call, Function<T, String> detail) {
        return step(rpc, call, detail, answer -> null, failure -> null);
    }

    /**
     * Makes a call whose undo step is known before the call. The call is undone even if its outcome is unknown (R30, R91).
     *
     * @param rpc the RPC
     * @param call sends the call
     * @param detail formats the response for the log
     * @param undo undoes the call
     * @param <T> the type of the response
     * @return the response
     * @throws StepFailedException if the call failed; its log line has been printed
     */
    public <T> T runUndoable(Rpc rpc, Supplier<CompletableFuture<T>> call, Function<T, String> detail, UndoStep undo) {
        return step(rpc, call, detail, answer -> undo, failure -> hadNoEffect(failure) ? null : undo);
    }

    /**
     * Makes a call that creates an object and returns its id. If the response is lost, the undo step repeats the call with the same name to
     * get the id, and then deletes the object (R51, R56).
     *
     * @param rpc the RPC
     * @param call sends the call; the same request each time
     * @param detail formats the response for the log
     * @param undo undoes the call
     * @param <T> the type of the response
     * @return the response
     * @throws StepFailedException if the call failed; its log line has been printed
     */
    public <T> T create(
            Rpc rpc, Supplier<CompletableFuture<T>> call, Function<T, String> detail, Function<T, UndoStep> undo) {
        return step(
                rpc,
                call,
                detail,
                undo,
                failure -> outcomeUnknown(failure) ? undoUnknownCreation(rpc, call, undo) : null);
    }

    private static <T> UndoStep undoUnknownCreation(
            Rpc rpc, Supplier<CompletableFuture<T>> call, Function<T, UndoStep> undo) {
        return new UndoStep(
                rpc.csiName() + ", then its opposite",
                "result of " + rpc.csiName(),
                false,
                calls -> undo.apply(calls.answer(call)).action().run(calls),
                "the outcome of " + rpc.csiName() + " is unknown: look for it by its name, and delete it");
    }

    private <T> T step(
            Rpc rpc,
            Supplier<CompletableFuture<T>> call,
            Function<T, String> detail,
            Function<T, @Nullable UndoStep> undo,
            Function<RuntimeException, @Nullable UndoStep> undoFromFailure) {
        lock.lock();
        try {
            long start = System.nanoTime();
            try {
                T answer = calls.answer(call);
                long nanosTaken = System.nanoTime() - start;
                push(undo.apply(answer));
                log.executed(rpc.csiName(), StepLog.Outcome.DONE, nanosTaken, detail.apply(answer));
                return answer;
            } catch (CsiException | CancellationException e) {
                push(undoFromFailure.apply(e));
                throw failed(rpc.csiName(), start, e);
            }
        } finally {
            lock.unlock();
        }
    }

    private void push(@Nullable UndoStep undo) {
        if (undo != null) {
            undoStack.push(undo);
        }
    }

    /** An action that is not a call to the plugin. */
    public interface Local {
        /**
         * Runs the action.
         *
         * @return the text for the log
         * @throws IOException if the action failed
         */
        String run() throws IOException;
    }

    /**
     * Runs an action that is not a call to the plugin and needs no undo.
     *
     * @param step a short text
     * @param local the action
     * @throws StepFailedException if the action failed; its log line has been printed
     */
    public void local(String step, Local local) {
        local(step, local, () -> null);
    }

    /**
     * Runs an action that is not a call to the plugin.
     *
     * @param step a short text
     * @param local the action
     * @param undo supplies the undo step after the action
     * @throws StepFailedException if the action failed; its log line has been printed
     */
    public void local(String step, Local local, Supplier<@Nullable UndoStep> undo) {
        lock.lock();
        try {
            long start = System.nanoTime();
            try {
                String detail = local.run();
                push(undo.get());
                log.executed(step, StepLog.Outcome.DONE, System.nanoTime() - start, detail);
            } catch (IOException | UncheckedIOException e) {
                throw failed(step, start, e);
            }
        } finally {
            lock.unlock();
        }
    }

    /**
     * Runs an action and records its undo step. Prints a line in the log only if the action fails.
     *
     * @param preparation the action; may do nothing
     * @param undo undoes the action, even if it failed halfway
     * @throws StepFailedException if the action failed; its log line has been printed
     */
    public void prepare(UndoStep.LocalAction preparation, UndoStep undo) {
        lock.lock();
        try {
            long start = System.nanoTime();
            push(undo);
            try {
                preparation.run();
            } catch (IOException | UncheckedIOException e) {
                throw failed("prepare", start, e);
            }
        } finally {
            lock.unlock();
        }
    }

    private StepFailedException failed(String step, long start, Exception cause) {
        String text = UndoStack.textOf(cause);
        log.executed(step, StepLog.Outcome.FAILED, System.nanoTime() - start, text);
        StatusCode code = cause instanceof CsiCallException call ? call.code() : null;
        return new StepFailedException(step, text, code, cause);
    }

    /**
     * Returns the current position in the list of undo steps.
     *
     * @return a position for {@link #undoTo}
     */
    public int mark() {
        lock.lock();
        try {
            return undoStack.size();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Undoes the steps after a mark in reverse order. A failed undo step is printed and counted; the earlier steps about the same subject
     * are then not undone.
     *
     * @param mark the result of {@link #mark}
     */
    public void undoTo(int mark) {
        boolean more;
        do {
            more = undoOne(mark);
        } while (more);
    }

    private boolean undoOne(int mark) {
        lock.lock();
        try {
            if (undoStack.size() <= mark) {
                return false;
            }
            undoStack.undoNewest();
            return true;
        } catch (CancellationException e) {
            // Stops undoing, because the interruption gets the lock next and begins with the same undo step.
            return true;
        } finally {
            lock.unlock();
        }
    }

    /** Undoes all steps and ends the run. */
    public void end() {
        undoTo(0);
        lock.lock();
        try {
            ended = true;
        } finally {
            lock.unlock();
        }
    }

    /**
     * Returns the objects that could not be removed.
     *
     * @return one text for each object, with the way to remove it
     */
    public List<String> leftovers() {
        lock.lock();
        try {
            return undoStack.leftovers();
        } finally {
            lock.unlock();
        }
    }

    private static boolean outcomeUnknown(RuntimeException failure) {
        return failure instanceof CsiCallException call
                ? call.outcome() == CallOutcome.OUTCOME_UNKNOWN
                : !(failure instanceof CsiRequestException);
    }

    private static boolean hadNoEffect(RuntimeException failure) {
        return failure instanceof CsiCallException call
                ? call.outcome() == CallOutcome.NEVER
                : failure instanceof CsiRequestException;
    }

    List<String> pending() {
        return undoStack.pending();
    }

    CallRetrier calls() {
        return calls;
    }

    ReentrantLock lock() {
        return lock;
    }

    boolean ended() {
        return ended;
    }
}
