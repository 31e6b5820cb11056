package io.csi4j.node.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.RejectedExecutionException;
import org.junit.jupiter.api.Test;

class CompletionsTest {
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final Queue<Runnable> accepted = new ArrayDeque<>();
    private final Queue<Runnable> scheduled = new ArrayDeque<>();
    private final List<String> done = new ArrayList<>();
    private boolean rejecting;
    private final Completions completions = new Completions(
            task -> {
                if (rejecting) {
                    throw new RejectedExecutionException("full");
                }
                accepted.add(task);
            },
            (delay, task) -> {
                assertThat(delay).isEqualTo(RETRY);
                scheduled.add(task);
                return () -> {};
            },
            RETRY);

    private static void runAll(Queue<Runnable> tasks) {
        for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
            task.run();
        }
    }

    private Runnable completion(String name) {
        return () -> done.add(name);
    }

    @Test
    void completionsBeginInOrderInTasksOfTheirOwn() {
        completions.start(List.of(completion("a"), completion("b")));
        completions.start(List.of(completion("c")));
        assertThat(done).isEmpty();
        assertThat(accepted).hasSize(3);
        runAll(accepted);
        assertThat(done).containsExactly("a", "b", "c");
    }

    @Test
    void completionMayWaitForLaterOne() {
        completions.start(List.of(
                () -> {
                    accepted.remove().run();
                    done.add("first");
                },
                completion("second")));
        runAll(accepted);
        assertThat(done).containsExactly("second", "first");
    }

    @Test
    void rejectedCompletionRunsOnceExecutorAcceptsAgain() {
        rejecting = true;
        completions.start(List.of(completion("a")));
        scheduled.remove().run();
        assertThat(done).isEmpty();
        rejecting = false;
        scheduled.remove().run();
        assertThat(done).isEmpty();
        runAll(accepted);
        assertThat(done).containsExactly("a");
        assertThat(scheduled).isEmpty();
    }

    @Test
    void lastCompletionsRunOnCurrentThreadIfExecutorWasShutDown() {
        rejecting = true;
        completions.start(List.of(completion("a")));
        completions.startLast(List.of(completion("b"), completion("c")));
        assertThat(done).containsExactly("a", "b", "c");
        scheduled.remove().run();
        assertThat(done).hasSize(3);
        assertThat(scheduled).isEmpty();
    }

    @Test
    void executorRunsOtherCompletionsWhileOneBlocksCurrentThread() {
        completions.run(List.of(
                () -> {
                    accepted.remove().run();
                    done.add("first");
                },
                completion("second")));
        assertThat(done).containsExactly("second", "first");
    }
}
