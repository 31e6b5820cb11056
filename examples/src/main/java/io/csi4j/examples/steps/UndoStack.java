package io.csi4j.examples.steps;

import io.csi4j.core.call.CsiCallException;
import io.csi4j.core.call.CsiException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystemException;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentLinkedDeque;

/** The undo steps, newest first. Guarded by the runner's lock. */
final class UndoStack {
    private final StepLog log;
    private final CallRetrier calls;
    private final Deque<UndoStep> steps = new ConcurrentLinkedDeque<>();
    private final Set<String> failedSubjects = new HashSet<>();
    private final List<String> leftovers = new ArrayList<>();

    UndoStack(StepLog log, CallRetrier calls) {
        this.log = log;
        this.calls = calls;
    }

    void push(UndoStep undo) {
        steps.push(undo);
    }

    int size() {
        return steps.size();
    }

    List<String> leftovers() {
        return List.copyOf(leftovers);
    }

    /**
     * Returns a text for each step that is not undone yet: the object that remains, and how to remove it. Needs no
     * lock.
     */
    List<String> pending() {
        return steps.stream()
                .map(UndoStep::leftover)
                .filter(leftover -> !leftover.isEmpty())
                .toList();
    }

    /**
     * Undoes the newest step, and removes it from the stack after the attempt.
     *
     * @throws CancellationException if an interruption cancelled the attempt and will repeat it
     */
    void undoNewest() {
        UndoStep undo = steps.element();
        if (failedSubjects.contains(undo.subject())) {
            logSkipped(undo, "an earlier undo step failed");
        } else {
            undo(undo);
        }
        steps.pop();
    }

    private void undo(UndoStep undo) {
        long start = System.nanoTime();
        try {
            undo.action().run(calls);
            if (!undo.quiet()) {
                log.executed(undo.step(), StepLog.Outcome.DONE, System.nanoTime() - start, undo.subject());
            }
        } catch (IOException | UncheckedIOException | CsiException e) {
            failedSubjects.add(undo.subject());
            keepLeftover(undo);
            log.executed(undo.step(), StepLog.Outcome.FAILED, System.nanoTime() - start, textOf(e));
        }
    }

    private void logSkipped(UndoStep undo, String reason) {
        keepLeftover(undo);
        if (!undo.quiet()) {
            log.skipped(undo.step(), undo.subject() + ": " + reason);
        }
    }

    /** Returns whether the exception's message is only a path. */
    private static boolean hasPathMessage(Exception failure) {
        return failure instanceof FileSystemException file && file.getReason() == null;
    }

    private void keepLeftover(UndoStep undo) {
        if (!undo.leftover().isEmpty()) {
            leftovers.add(undo.leftover());
        }
    }

    /** Returns the message of a failure with its status code, unless the message has the code already. */
    static String textOf(Exception failure) {
        String text =
                failure.getMessage() == null || hasPathMessage(failure) ? failure.toString() : failure.getMessage();
        boolean addCode = failure instanceof CsiCallException call
                && !text.contains(call.code().name());
        return addCode ? ((CsiCallException) failure).code() + ": " + text : text;
    }
}
