package io.csi4j.core.internal.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.spi.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SerialExecutorTest {
    private final VirtualTime time = VirtualTime.shuffled(1);
    private final List<Throwable> failures = new ArrayList<>();
    private final List<Integer> done = new ArrayList<>();
    private final SerialExecutor serial = new SerialExecutor(time, failures::add);

    @Test
    void tasksRunInOrderOnUnderlyingExecutor() {
        for (int i = 0; i < 100; i++) {
            int number = i;
            serial.execute(() -> done.add(number));
        }
        assertThat(done).isEmpty();
        time.run();
        assertThat(done).hasSize(100).isSorted();
    }

    @Test
    void tasksSubmittedByRunningTaskRunAfterThatTaskEnds() {
        serial.execute(() -> {
            serial.execute(() -> done.add(2));
            serial.execute(() -> done.add(3));
            done.add(1);
        });
        time.run();
        assertThat(done).containsExactly(1, 2, 3);
    }

    @Test
    void exceptionOfTaskGoesToHandlerAndNextTasksRun() {
        RuntimeException exception = new IllegalStateException("1");
        AssertionError error = new AssertionError("2");
        serial.execute(() -> {
            throw exception;
        });
        serial.execute(() -> {
            throw error;
        });
        serial.execute(() -> done.add(3));
        time.run();
        assertThat(failures).containsExactly(exception, error);
        assertThat(done).containsExactly(3);
    }

    @Test
    void rejectedTaskNeverRunsAndLaterTasksAreAccepted() {
        AtomicBoolean closed = new AtomicBoolean(true);
        SerialExecutor rejecting = new SerialExecutor(
                task -> {
                    if (closed.get()) {
                        throw new RejectedExecutionException("closed");
                    }
                    time.execute(task);
                },
                failures::add);
        assertThatThrownBy(() -> rejecting.execute(() -> done.add(1))).isInstanceOf(RejectedExecutionException.class);
        closed.set(false);
        rejecting.execute(() -> done.add(2));
        time.run();
        assertThat(done).containsExactly(2);
        assertThat(failures).isEmpty();
    }

    @Test
    void tasksFromManyThreadsDoNotOverlapAndTasksOfEachThreadRunInOrder() throws Exception {
        int threads = 4;
        int each = 20_000;
        int[] last = new int[threads];
        AtomicBoolean inside = new AtomicBoolean();
        List<String> wrong = new ArrayList<>();
        CountDownLatch left = new CountDownLatch(threads * each);
        ExecutorService pool = Executors.newFixedThreadPool(3);
        ExecutorService callers = Executors.newFixedThreadPool(threads);
        SerialExecutor shared = new SerialExecutor(pool, failures::add);
        for (int thread = 0; thread < threads; thread++) {
            int mine = thread;
            callers.execute(() -> {
                for (int i = 1; i <= each; i++) {
                    int number = i;
                    shared.execute(() -> {
                        if (!inside.compareAndSet(false, true)) {
                            wrong.add("overlap");
                        }
                        if (last[mine] + 1 != number) {
                            wrong.add(number + " after " + last[mine]);
                        }
                        last[mine] = number;
                        inside.set(false);
                        left.countDown();
                    });
                }
            });
        }
        assertThat(left.await(50, TimeUnit.SECONDS)).isTrue();
        callers.shutdown();
        pool.shutdown();
        assertThat(pool.awaitTermination(5, TimeUnit.SECONDS)).isTrue();
        assertThat(wrong).isEmpty();
        assertThat(failures).isEmpty();
    }
}
