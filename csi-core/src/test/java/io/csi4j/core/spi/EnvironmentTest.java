package io.csi4j.core.spi;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class EnvironmentTest {
    private static final Timer NO_TIMER = (delay, task) -> () -> {};
    private static final Executor NO_EXECUTOR = task -> {};

    @Test
    void systemEnvironmentRunsTasksOnDaemonThreads() {
        try (Environment environment = Environment.system()) {
            CompletableFuture<Thread> worker = new CompletableFuture<>();
            CompletableFuture<Thread> timer = new CompletableFuture<>();
            environment.executor().execute(() -> worker.complete(Thread.currentThread()));
            var unused = environment.timer().schedule(Duration.ZERO, () -> timer.complete(Thread.currentThread()));
            assertThat(worker.join().isDaemon()).isTrue();
            assertThat(worker.join().getName()).startsWith("csi4j-worker-");
            assertThat(timer.join().isDaemon()).isTrue();
            assertThat(timer.join().getName()).isEqualTo("csi4j-timer-1");
        }
    }

    @Test
    void blockedTasksDoNotDelayOtherTasks() throws InterruptedException {
        try (Environment environment = Environment.system()) {
            CountDownLatch all = new CountDownLatch(50);
            CountDownLatch end = new CountDownLatch(1);
            for (int i = 0; i < 50; i++) {
                environment.executor().execute(() -> {
                    all.countDown();
                    await(end);
                });
            }
            assertThat(all.await(30, TimeUnit.SECONDS)).isTrue();
            end.countDown();
        }
    }

    @Test
    void closedSystemEnvironmentFinishesRunningTaskAndRejectsNewTasks() {
        Environment environment = Environment.system();
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Boolean> interrupted = new CompletableFuture<>();
        environment.executor().execute(() -> {
            await(end);
            interrupted.complete(Thread.currentThread().isInterrupted());
        });
        CompletableFuture<Void> late = new CompletableFuture<>();
        var unused = environment.timer().schedule(Duration.ofHours(1), () -> late.complete(null));
        environment.close();
        environment.close();
        end.countDown();
        assertThat(interrupted.join()).isFalse();
        assertThat(late).isNotDone();
        assertThatThrownBy(() -> environment.executor().execute(() -> {}))
                .isInstanceOf(RejectedExecutionException.class);
        assertThatThrownBy(() -> environment.timer().schedule(Duration.ZERO, () -> {}))
                .isInstanceOf(RejectedExecutionException.class);
    }

    @Test
    void closingEnvironmentLeavesHostExecutorAndTimerUsable() {
        List<Runnable> tasks = new ArrayList<>();
        Environment environment = Environment.of(Clock.systemUTC(), NO_TIMER, tasks::add, new SplittableRandom(1));
        environment.close();
        environment.executor().execute(() -> {});
        assertThat(tasks).hasSize(1);
        assertThat(environment.timer()).isSameAs(NO_TIMER);
        assertThat(environment.random().nextLong()).isEqualTo(new SplittableRandom(1).nextLong());
    }

    /** Two threads that use a SplittableRandom at the same time may get the same number. */
    @Test
    void randomGeneratorIsUsedByOnlyOneThreadAtATime() throws InterruptedException {
        CountDownLatch bothRun = new CountDownLatch(2);
        List<String> overlaps = new ArrayList<>();
        RandomGenerator generator = new RandomGenerator() {
            private volatile boolean busy;
            private long next;

            @Override
            public long nextLong() {
                if (busy) {
                    overlaps.add(Thread.currentThread().getName());
                }
                busy = true;
                for (int spin = 0; spin < 100; spin++) {
                    Thread.onSpinWait();
                }
                next++;
                busy = false;
                return next;
            }
        };
        Environment environment = Environment.of(Clock.systemUTC(), NO_TIMER, NO_EXECUTOR, generator);
        Runnable draw = () -> {
            bothRun.countDown();
            await(bothRun);
            for (int i = 0; i < 20_000; i++) {
                environment.random().nextLong();
            }
        };
        Thread one = new Thread(draw);
        Thread two = new Thread(draw);
        one.start();
        two.start();
        one.join();
        two.join();
        assertThat(overlaps).isEmpty();
        assertThat(environment.random().nextLong()).isEqualTo(40_001);
    }

    @Test
    void missingArgumentIsNamedInException() {
        assertThatNullPointerException()
                .isThrownBy(() -> Environment.of(null, NO_TIMER, NO_EXECUTOR, new SplittableRandom()))
                .withMessage("clock");
        assertThatNullPointerException()
                .isThrownBy(() -> Environment.of(Clock.systemUTC(), NO_TIMER, NO_EXECUTOR, null))
                .withMessage("random");
    }

    private static void await(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
