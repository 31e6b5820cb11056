package io.csi4j.node.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class CompletionsTest {
    private static final Duration RETRY = Duration.ofSeconds(1);

    private final Queue<Runnable> accepted = new ArrayDeque<>();
    private final Queue<Runnable> scheduled = new ArrayDeque<>();
    private final List<String> done = new CopyOnWriteArrayList<>();
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
    void completionsBeginInOrderInSeparateTasks() {
        completions.start(List.of(completion("a"), completion("b")));
        completions.start(List.of(completion("c")));
        assertThat(done).isEmpty();
        assertThat(accepted).hasSize(3);
        runAll(accepted);
        assertThat(done).containsExactly("a", "b", "c");
    }

    @Test
    void completionCanWaitForLaterCompletion() {
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
    void rejectedCompletionRunsWhenExecutorAcceptsTasksAgain() {
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
    void earlierCompletionCanWaitForLastCompletionIfExecutorWasShutDown() throws InterruptedException {
        rejecting = true;
        CountDownLatch begun = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(3);
        completions.start(List.of(() -> {
            try {
                begun.await();
                done.add("a");
                ended.countDown();
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        }));
        completions.startLast(List.of(
                () -> {
                    done.add("b");
                    ended.countDown();
                },
                () -> {
                    done.add("c");
                    ended.countDown();
                    begun.countDown();
                }));
        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        assertThat(done).containsExactlyInAnyOrder("a", "b", "c");
        scheduled.remove().run();
        assertThat(done).hasSize(3);
        assertThat(scheduled).isEmpty();
    }

    @Test
    void executorRunsSecondCompletionWhileFirstCompletionBlocksCallingThread() {
        completions.add(List.of(
                () -> {
                    accepted.remove().run();
                    done.add("first");
                },
                completion("second")));
        assertThat(done).isEmpty();
        completions.runAdded();
        assertThat(done).containsExactly("second", "first");
    }
}
