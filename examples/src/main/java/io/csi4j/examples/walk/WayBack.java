package io.csi4j.examples.walk;

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

/** The steps that lead back, newest first. Guarded by the walk's turn. */
final class WayBack {
    private final StepLog log;
    private final CallRepeater calls;
    private final Deque<Back> steps = new ConcurrentLinkedDeque<>();
    private final Set<String> stuck = new HashSet<>();
    private final List<String> leftovers = new ArrayList<>();

    WayBack(StepLog log, CallRepeater calls) {
        this.log = log;
        this.calls = calls;
    }

    void push(Back back) {
        steps.push(back);
    }

    int size() {
        return steps.size();
    }

    List<String> leftovers() {
        return List.copyOf(leftovers);
    }

    /** What is still to be taken back; may be asked without the turn. */
    List<String> pending() {
        return steps.stream()
                .map(Back::leftover)
                .filter(leftover -> !leftover.isEmpty())
                .toList();
    }

    /**
     * Takes the newest step back. It is forgotten only after it was tried.
     *
     * @throws CancellationException if it was given up for an interruption, which will try it again
     */
    void takeOne() {
        Back back = steps.element();
        if (stuck.contains(back.subject())) {
            leaveBehind(back, "an earlier step back failed");
        } else {
            take(back);
        }
        steps.pop();
    }

    private void take(Back back) {
        long start = System.nanoTime();
        try {
            back.action().run(calls);
            if (!back.quiet()) {
                log.tried(back.step(), StepLog.Outcome.DONE, System.nanoTime() - start, back.subject());
            }
        } catch (IOException | UncheckedIOException | CsiException e) {
            stuck.add(back.subject());
            leave(back);
            log.tried(back.step(), StepLog.Outcome.FAILED, System.nanoTime() - start, textOf(e));
        }
    }

    private void leaveBehind(Back back, String why) {
        leave(back);
        if (!back.quiet()) {
            log.skipped(back.step(), back.subject() + ": " + why);
        }
    }

    /** The message of these is a path and nothing else. */
    private static boolean saysOnlyWhere(Exception failure) {
        return failure instanceof FileSystemException file && file.getReason() == null;
    }

    private void leave(Back back) {
        if (!back.leftover().isEmpty()) {
            leftovers.add(back.leftover());
        }
    }

    /** With the code, which most messages have already. */
    static String textOf(Exception failure) {
        String text =
                failure.getMessage() == null || saysOnlyWhere(failure) ? failure.toString() : failure.getMessage();
        boolean codeMissing = failure instanceof CsiCallException call
                && !text.contains(call.code().name());
        return codeMissing ? ((CsiCallException) failure).code() + ": " + text : text;
    }
}
