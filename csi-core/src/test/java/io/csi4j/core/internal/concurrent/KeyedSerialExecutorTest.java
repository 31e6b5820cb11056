package io.csi4j.core.internal.concurrent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.spi.VirtualTime;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class KeyedSerialExecutorTest {
    private final VirtualTime time = VirtualTime.shuffled(1);
    private final List<Throwable> failures = new ArrayList<>();
    private final List<String> done = new ArrayList<>();
    private final KeyedSerialExecutor<String> serial = new KeyedSerialExecutor<>(time, failures::add);

    @Test
    void tasksOfOneKeyRunInOrderAndTaskOfItRunsAfterTheCurrentOne() {
        serial.execute("a", () -> {
            serial.execute("a", () -> done.add("3"));
            done.add("1");
        });
        serial.execute("a", () -> done.add("2"));
        time.run();
        assertThat(done).containsExactly("1", "2", "3");
    }

    @Test
    void keyIsRemovedWhenItsLastTaskIsDone() {
        for (int i = 0; i < 1_000; i++) {
            serial.execute("volume-" + i, () -> done.add("x"));
        }
        assertThat(serial.keys()).isEqualTo(1_000);
        serial.execute("thrower", () -> {
            throw new IllegalStateException("x");
        });
        time.run();
        assertThat(serial.keys()).isZero();
        assertThat(done).hasSize(1_000);
        assertThat(failures).hasSize(1);
    }

    @Test
    void keyOfRejectedTaskIsRemoved() {
        KeyedSerialExecutor<String> rejecting = new KeyedSerialExecutor<>(
                task -> {
                    throw new RejectedExecutionException("closed");
                },
                failures::add);
        assertThatThrownBy(() -> rejecting.execute("a", () -> done.add("1")))
                .isInstanceOf(RejectedExecutionException.class);
        assertThat(rejecting.keys()).isZero();
        assertThat(done).isEmpty();
    }

    @Test
    void tasksOfDifferentKeysRunBesideEachOther() throws Exception {
        ExecutorService pool = Executors.newCachedThreadPool();
        KeyedSerialExecutor<Integer> shared = new KeyedSerialExecutor<>(pool, failures::add);
        CyclicBarrier together = new CyclicBarrier(3);
        for (int key = 0; key < 2; key++) {
            shared.execute(key, () -> {
                try {
                    together.await();
                } catch (Exception e) {
                    throw new IllegalStateException(e);
                }
            });
        }
        together.await(30, TimeUnit.SECONDS);
        pool.shutdown();
        assertThat(pool.awaitTermination(5, TimeUnit.SECONDS)).isTrue();
        assertThat(failures).isEmpty();
    }

    @Test
    void tasksOfOneKeyFromManyThreadsDoNotOverlap() throws Exception {
        int keys = 3;
        int each = 20_000;
        AtomicIntegerArray inside = new AtomicIntegerArray(keys);
        AtomicInteger overlaps = new AtomicInteger();
        int[] counts = new int[keys];
        CountDownLatch left = new CountDownLatch(4 * each);
        ExecutorService pool = Executors.newFixedThreadPool(3);
        ExecutorService callers = Executors.newFixedThreadPool(4);
        KeyedSerialExecutor<Integer> shared = new KeyedSerialExecutor<>(pool, failures::add);
        for (int thread = 0; thread < 4; thread++) {
            callers.execute(() -> {
                for (int i = 0; i < each; i++) {
                    int key = i % keys;
                    shared.execute(key, () -> {
                        if (inside.incrementAndGet(key) != 1) {
                            overlaps.incrementAndGet();
                        }
                        counts[key]++;
                        inside.decrementAndGet(key);
                        left.countDown();
                    });
                }
            });
        }
        assertThat(left.await(50, TimeUnit.SECONDS)).isTrue();
        callers.shutdown();
        pool.shutdown();
        assertThat(pool.awaitTermination(5, TimeUnit.SECONDS)).isTrue();
        assertThat(overlaps).hasValue(0);
        assertThat(counts[0] + counts[1] + counts[2]).isEqualTo(4 * each);
        assertThat(shared.keys()).isZero();
    }
}
