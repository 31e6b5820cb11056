package io.csi4j.examples.walk;

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
 * One walk, step by step, that remembers the way back.
 *
 * <p>Each step forward puts its opposite on a stack, in the same turn, so that there is no moment at
 * which something was done and the way back is not known. Going back is popping the stack: that is why
 * the order of R47-R49 (unpublish, unstage, detach, delete) needs no second piece of code for failures
 * or for Ctrl-C.
 */
public final class Walk {
    private final StepLog log;
    private final CallRepeater calls;
    private final WayBack wayBack;
    /** Fair, so that whoever asks to stop gets it before the next step begins. */
    private final ReentrantLock turn = new ReentrantLock(true);

    private volatile boolean ended;

    /**
     * A walk at its beginning.
     *
     * @param log where its steps are printed
     * @param limit how long one step may take
     */
    public Walk(StepLog log, Duration limit) {
        this.log = log;
        this.calls = new CallRepeater(limit);
        this.wayBack = new WayBack(log, calls);
    }

    /**
     * The log of this walk.
     *
     * @return where its steps are printed
     */
    public StepLog log() {
        return log;
    }

    /**
     * A step that needs no way back.
     *
     * @param rpc the RPC
     * @param call sends it
     * @param detail what the log says of the answer
     * @param <T> the answer's type
     * @return the answer
     * @throws StepFailedException if it failed; its line is printed
     */
    public <T> T call(Rpc rpc, Supplier<CompletableFuture<T>> call, Function<T, String> detail) {
        return step(rpc, call, detail, answer -> null, failure -> null);
    }

    /**
     * A step whose opposite is known before: it is taken back even if nobody knows whether it was done
     * (R30, R91).
     *
     * @param rpc the RPC
     * @param call sends it
     * @param detail what the log says of the answer
     * @param back its opposite
     * @param <T> the answer's type
     * @return the answer
     * @throws StepFailedException if it failed; its line is printed
     */
    public <T> T enter(Rpc rpc, Supplier<CompletableFuture<T>> call, Function<T, String> detail, Back back) {
        return step(rpc, call, detail, answer -> back, failure -> neverDone(failure) ? null : back);
    }

    /**
     * A step that makes something whose id is in the answer. If the answer is lost, the way back is to
     * ask again by the same name and then to delete what the answer names (R51, R56).
     *
     * @param rpc the RPC
     * @param call sends it; the same request each time
     * @param detail what the log says of the answer
     * @param back its opposite
     * @param <T> the answer's type
     * @return the answer
     * @throws StepFailedException if it failed; its line is printed
     */
    public <T> T make(
            Rpc rpc, Supplier<CompletableFuture<T>> call, Function<T, String> detail, Function<T, Back> back) {
        return step(rpc, call, detail, back, failure -> unknown(failure) ? afterAll(rpc, call, back) : null);
    }

    private static <T> Back afterAll(Rpc rpc, Supplier<CompletableFuture<T>> call, Function<T, Back> back) {
        return new Back(
                rpc.csiName() + ", then its opposite",
                "what " + rpc.csiName() + " may have made",
                false,
                calls -> back.apply(calls.answer(call)).action().run(calls),
                "the outcome of " + rpc.csiName() + " is unknown: look for it by its name, and delete it");
    }

    private <T> T step(
            Rpc rpc,
            Supplier<CompletableFuture<T>> call,
            Function<T, String> detail,
            Function<T, @Nullable Back> back,
            Function<RuntimeException, @Nullable Back> backFromFailure) {
        turn.lock();
        try {
            long start = System.nanoTime();
            try {
                T answer = calls.answer(call);
                long took = System.nanoTime() - start;
                remember(back.apply(answer));
                log.tried(rpc.csiName(), StepLog.Outcome.DONE, took, detail.apply(answer));
                return answer;
            } catch (CsiException | CancellationException e) {
                remember(backFromFailure.apply(e));
                throw failed(rpc.csiName(), start, e);
            }
        } finally {
            turn.unlock();
        }
    }

    private void remember(@Nullable Back back) {
        if (back != null) {
            wayBack.push(back);
        }
    }

    /** Something that the program does by itself. */
    public interface Local {
        /**
         * Does it.
         *
         * @return what the log says of it
         * @throws IOException if it failed
         */
        String run() throws IOException;
    }

    /**
     * A step that the program does by itself, and that needs no way back.
     *
     * @param step a few words
     * @param local does it
     * @throws StepFailedException if it failed; its line is printed
     */
    public void local(String step, Local local) {
        local(step, local, () -> null);
    }

    /**
     * A step that the program does by itself.
     *
     * @param step a few words
     * @param local does it
     * @param back its opposite, asked for when it is done
     * @throws StepFailedException if it failed; its line is printed
     */
    public void local(String step, Local local, Supplier<@Nullable Back> back) {
        turn.lock();
        try {
            long start = System.nanoTime();
            try {
                String detail = local.run();
                remember(back.get());
                log.tried(step, StepLog.Outcome.DONE, System.nanoTime() - start, detail);
            } catch (IOException | UncheckedIOException e) {
                throw failed(step, start, e);
            }
        } finally {
            turn.unlock();
        }
    }

    /**
     * Does something that is worth no line, and remembers the way back.
     *
     * @param preparation does it; may be nothing
     * @param back its opposite; remembered even if the preparation fails half-way
     * @throws StepFailedException if it failed; its line is printed
     */
    public void prepare(Back.LocalAction preparation, Back back) {
        turn.lock();
        try {
            long start = System.nanoTime();
            remember(back);
            try {
                preparation.run();
            } catch (IOException | UncheckedIOException e) {
                throw failed("prepare", start, e);
            }
        } finally {
            turn.unlock();
        }
    }

    private StepFailedException failed(String step, long start, Exception cause) {
        String text = WayBack.textOf(cause);
        log.tried(step, StepLog.Outcome.FAILED, System.nanoTime() - start, text);
        StatusCode code = cause instanceof CsiCallException call ? call.code() : null;
        return new StepFailedException(step, text, code, cause);
    }

    /**
     * How far the walk went.
     *
     * @return a place to {@linkplain #backTo go back to}
     */
    public int here() {
        turn.lock();
        try {
            return wayBack.size();
        } finally {
            turn.unlock();
        }
    }

    /**
     * Goes back, newest step first. A step back that fails is printed and counted, and ends the way back
     * for its subject.
     *
     * @param place where {@link #here} was called
     */
    public void backTo(int place) {
        boolean more;
        do {
            more = oneBack(place);
        } while (more);
    }

    private boolean oneBack(int place) {
        turn.lock();
        try {
            if (wayBack.size() <= place) {
                return false;
            }
            wayBack.takeOne();
            return true;
        } catch (CancellationException e) {
            // The interruption is next in the queue for the turn, and begins with this same step.
            return true;
        } finally {
            turn.unlock();
        }
    }

    /** Goes back to the beginning, and ends the walk. */
    public void end() {
        backTo(0);
        turn.lock();
        try {
            ended = true;
        } finally {
            turn.unlock();
        }
    }

    /**
     * What could not be taken back.
     *
     * @return one text for each thing, with what to do about it
     */
    public List<String> leftovers() {
        turn.lock();
        try {
            return wayBack.leftovers();
        } finally {
            turn.unlock();
        }
    }

    private static boolean unknown(RuntimeException failure) {
        return failure instanceof CsiCallException call
                ? call.outcome() == CallOutcome.OUTCOME_UNKNOWN
                : !(failure instanceof CsiRequestException);
    }

    private static boolean neverDone(RuntimeException failure) {
        return failure instanceof CsiCallException call
                ? call.outcome() == CallOutcome.NEVER
                : failure instanceof CsiRequestException;
    }

    List<String> pending() {
        return wayBack.pending();
    }

    CallRepeater calls() {
        return calls;
    }

    ReentrantLock turn() {
        return turn;
    }

    boolean ended() {
        return ended;
    }
}
