package io.csi4j.node.internal.worker;

import io.csi4j.core.spi.MayBlock;
import java.util.List;
import java.util.concurrent.Semaphore;

/**
 * Where the turns run that follow from an answer. To be handed from thread to thread costs as much as a short call; so
 * they run on the thread that brings the answer, if it may block. A few at a time, for all workers: where many answers
 * come at once, nobody is sooner done for it, and the threads would be as many as the answers.
 */
public final class AnswerTurns {
    private static final int AT_A_TIME = 4;

    private final Semaphore free = new Semaphore(AT_A_TIME);

    /** Runs a turn here, or has it run on the executor of the workers. False: that takes no more work now. */
    boolean run(SerialRunner runner, Runnable turn) {
        if (!MayBlock.here() || !free.tryAcquire()) {
            return runner.executeOrKeep(turn);
        }
        List<Runnable> left;
        try {
            left = runner.executeHere(turn);
        } finally {
            free.release();
        }
        runner.finish(left);
        return true;
    }
}
