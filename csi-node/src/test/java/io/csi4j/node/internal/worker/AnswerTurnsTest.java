package io.csi4j.node.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.spi.MayBlock;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Turns go on where an answer comes, if that may block, and as many at a time as are good for it. */
@Timeout(60)
class AnswerTurnsTest {
    private final Queue<Runnable> handedOver = new ArrayDeque<>();
    private final AnswerTurns answers = new AnswerTurns();
    private final List<String> done = new CopyOnWriteArrayList<>();

    private static final class Patient extends Thread implements MayBlock {
        Patient(Runnable work) {
            super(work);
        }
    }

    private static void onPatient(Runnable work) throws InterruptedException {
        AtomicReference<Throwable> failure = new AtomicReference<>();
        Thread thread = new Patient(work);
        thread.setUncaughtExceptionHandler((who, error) -> failure.set(error));
        thread.start();
        thread.join();
        assertThat(failure.get()).isNull();
    }

    private void runHandedOver() {
        for (Runnable work = handedOver.poll(); work != null; work = handedOver.poll()) {
            work.run();
        }
    }

    @Test
    void aTurnRunsOnAThreadThatMayBlockAndOnNoOther() throws InterruptedException {
        SerialRunner runner = new SerialRunner(handedOver::add);
        onPatient(() -> {
            answers.run(runner, () -> done.add("there"));
            assertThat(done).containsExactly("there");
        });
        assertThat(handedOver).isEmpty();
        answers.run(runner, () -> done.add("here"));
        assertThat(done).containsExactly("there");
        runHandedOver();
        assertThat(done).containsExactly("there", "here");
    }

    @Test
    void turnsOfOneLaneKeepTheirOrder() throws InterruptedException {
        SerialRunner runner = new SerialRunner(handedOver::add);
        runner.execute(() -> done.add("first"));
        onPatient(() -> answers.run(runner, () -> done.add("second")));
        assertThat(done).isEmpty();
        runHandedOver();
        assertThat(done).containsExactly("first", "second");
    }

    /** However many answers come at once, there are few threads that work on them and the executor has the rest. */
    @Test
    void aFewAtATimeAndTheRestIsHandedOver() throws InterruptedException {
        CountDownLatch begun = new CountDownLatch(4);
        CountDownLatch go = new CountDownLatch(1);
        List<Thread> busy = new ArrayList<>();
        for (int lane = 0; lane < 4; lane++) {
            busy.add(new Patient(() -> answers.run(new SerialRunner(handedOver::add), () -> {
                begun.countDown();
                await(go);
            })));
        }
        busy.forEach(Thread::start);
        await(begun);
        onPatient(() -> answers.run(new SerialRunner(handedOver::add), () -> done.add("fifth")));
        assertThat(done).isEmpty();
        assertThat(handedOver).hasSize(1);
        go.countDown();
        for (Thread thread : busy) {
            thread.join();
        }
        runHandedOver();
        onPatient(() -> answers.run(new SerialRunner(handedOver::add), () -> done.add("sixth")));
        assertThat(done).containsExactly("fifth", "sixth");
        assertThat(handedOver).isEmpty();
    }

    /** Who is told in the course of it is none of those few, whatever it does then. */
    @Test
    void whoeverIsToldMayBlockForAsLongAsItLikes() throws InterruptedException {
        CountDownLatch go = new CountDownLatch(1);
        CountDownLatch told = new CountDownLatch(8);
        List<Thread> threads = new ArrayList<>();
        for (int lane = 0; lane < 8; lane++) {
            SerialRunner runner = new SerialRunner(handedOver::add);
            Thread thread = new Patient(() -> answers.run(
                    runner,
                    () -> runner.afterwards(() -> {
                        told.countDown();
                        await(go);
                    })));
            threads.add(thread);
            long before = told.getCount();
            thread.start();
            while (told.getCount() == before) {
                Thread.onSpinWait();
            }
        }
        assertThat(handedOver).isEmpty();
        go.countDown();
        for (Thread thread : threads) {
            thread.join();
        }
    }

    @Test
    void whatComesWhileOthersAreToldIsDoneElsewhere() {
        SerialRunner runner = new SerialRunner(handedOver::add);
        runner.execute(() -> {
            runner.execute(() -> done.add("next"));
            runner.afterwards(() -> {
                // As another thread of the executor would.
                runHandedOver();
                done.add("told");
            });
        });
        runHandedOver();
        assertThat(done).containsExactly("next", "told");
    }

    @Test
    void withoutAnExecutorTheLastStepsAreDoneHereAndThenOthersAreTold() {
        boolean[] shut = {false};
        CountDownLatch told = new CountDownLatch(1);
        SerialRunner runner = new SerialRunner(work -> {
            if (shut[0]) {
                throw new RejectedExecutionException("shut down");
            }
            handedOver.add(work);
        });
        runner.execute(() -> {
            runner.execute(() -> done.add("next"));
            runner.afterwards(() -> {
                throw new IllegalStateException("a listener of a listener");
            });
            runner.afterwards(() -> {
                done.add("told");
                told.countDown();
            });
        });
        shut[0] = true;
        runHandedOver();
        await(told);
        assertThat(done).containsExactly("next", "told");
        assertThatThrownBy(() -> runner.execute(() -> done.add("late"))).isInstanceOf(RejectedExecutionException.class);
        assertThat(answers.run(runner, () -> done.add("kept"))).isFalse();
        shut[0] = false;
        assertThat(answers.run(runner, () -> done.add("after it"))).isTrue();
        runHandedOver();
        assertThat(done).containsExactly("next", "told", "kept", "after it");
        shut[0] = true;
        assertThat(runner.executeOrKeep(() -> done.add("never"))).isFalse();
        runner.executeOrHere(() -> done.add("the end"));
        assertThat(done).containsExactly("next", "told", "kept", "after it", "the end");
    }

    @Test
    void whatNothingInJavaMayThrowTakesNothingElseWithIt() {
        SerialRunner runner = new SerialRunner(handedOver::add);
        runner.execute(() -> {
            runner.afterwards(() -> done.add("told"));
            runner.execute(() -> done.add("next"));
            throw new AssertionError("of the host's");
        });
        assertThatThrownBy(this::runHandedOver).isInstanceOf(AssertionError.class);
        assertThat(done).containsExactly("told");
        runHandedOver();
        assertThat(done).containsExactly("told", "next");
    }

    /** An executor that cannot make a thread now says so with an error, and may have kept what it was given. */
    @Test
    void anExecutorWithoutAThreadIsAskedAgain() {
        boolean[] threadless = {true};
        CountDownLatch second = new CountDownLatch(1);
        SerialRunner runner = new SerialRunner(work -> {
            handedOver.add(work);
            if (threadless[0]) {
                throw new OutOfMemoryError("unable to create native thread");
            }
        });
        assertThatThrownBy(() -> runner.execute(() -> done.add("never"))).isInstanceOf(OutOfMemoryError.class);
        assertThat(runner.executeOrKeep(() -> done.add("kept"))).isFalse();
        threadless[0] = false;
        runner.execute(() -> done.add("next"));
        assertThat(handedOver).hasSize(3);
        handedOver.remove();
        handedOver.remove().run();
        assertThat(done).isEmpty();
        runHandedOver();
        assertThat(done).containsExactly("kept", "next");
        runner.execute(() -> {
            threadless[0] = true;
            runner.execute(() -> done.add("last"));
            runner.afterwards(() -> {
                await(second);
                done.add("told");
            });
            // Who waits for it does not keep it from being told, though the executor takes nothing.
            runner.afterwards(second::countDown);
        });
        runHandedOver();
        assertThat(done).containsExactly("kept", "next", "last", "told");
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void whatATurnThrowsThatNothingInJavaMayThrowTakesNoOtherWithIt() {
        Deque<Runnable> given = new ArrayDeque<>();
        SerialRunner runner = new SerialRunner(given::add);
        List<String> ran = new ArrayList<>();
        runner.execute(() -> {
            throw new AssertionError("in a turn");
        });
        runner.execute(() -> ran.add("second"));
        assertThatThrownBy(() -> given.remove().run()).isInstanceOf(AssertionError.class);
        runner.execute(() -> ran.add("third"));
        given.remove().run();
        assertThat(ran).containsExactly("second", "third");
        assertThat(given).isEmpty();
    }
}
