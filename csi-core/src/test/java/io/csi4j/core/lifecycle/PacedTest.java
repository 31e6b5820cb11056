package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.lifecycle.internal.call.PacedExecutor;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class PacedTest {
    private final Queue<Runnable> executor = new ArrayDeque<>();
    private final PacedExecutor paced = new PacedExecutor(executor::add);
    private final List<Integer> done = new ArrayList<>();

    private void add(int tasks) {
        for (int i = 0; i < tasks; i++) {
            int number = i;
            paced.execute(() -> done.add(number));
        }
    }

    private void runOne() {
        Objects.requireNonNull(executor.poll(), "nothing to run").run();
    }

    private void runAll() {
        while (!executor.isEmpty()) {
            runOne();
        }
    }

    @Test
    void whatComesBesideAStormDoesNotStandBehindAllOfIt() {
        add(1_000);
        executor.add(() -> done.add(-1));
        runAll();
        assertThat(done.indexOf(-1)).isEqualTo(PacedExecutor.MOST);
    }

    @Test
    void allAreRunInTheOrderTheyCame() {
        add(1_000);
        runAll();
        assertThat(done).hasSize(1_000).isSorted();
    }

    @Test
    void aTaskThatFailsGivesItsPlaceToTheNext() {
        for (int i = 0; i < PacedExecutor.MOST; i++) {
            paced.execute(() -> {
                throw new IllegalStateException("as the test wants it");
            });
        }
        add(PacedExecutor.MOST);
        for (int i = 0; i < PacedExecutor.MOST; i++) {
            assertThatThrownBy(this::runOne).hasMessage("as the test wants it");
        }
        runAll();
        assertThat(done).hasSize(PacedExecutor.MOST);
    }

    @Test
    void whatTheExecutorRefusesHoldsNoPlace() {
        Queue<Runnable> taken = new ArrayDeque<>();
        boolean[] closed = {true};
        PacedExecutor refused = new PacedExecutor(task -> {
            if (closed[0]) {
                throw new RejectedExecutionException("as the test wants it");
            }
            taken.add(task);
        });
        for (int i = 0; i < PacedExecutor.MOST; i++) {
            assertThatThrownBy(() -> refused.execute(() -> {})).isInstanceOf(RejectedExecutionException.class);
        }
        closed[0] = false;
        refused.execute(() -> done.add(1));
        assertThat(taken).hasSize(1);
    }

    @Test
    void anExecutorThatHasWhoeverComesRunTheTaskDoesNotHeapThemUp() {
        boolean[] here = {false};
        PacedExecutor inline = new PacedExecutor(task -> {
            if (here[0]) {
                task.run();
            } else {
                executor.add(task);
            }
        });
        int[] deepest = {0};
        int tasks = 100_000;
        for (int i = 0; i < tasks; i++) {
            inline.execute(() -> {
                done.add(1);
                if (done.size() % 1_000 == 0) {
                    deepest[0] = Math.max(deepest[0], new Throwable().getStackTrace().length);
                }
            });
        }
        here[0] = true;
        int depth = new Throwable().getStackTrace().length;
        runAll();
        assertThat(done).hasSize(tasks);
        assertThat(deepest[0]).isLessThan(depth + 20);
    }
}
