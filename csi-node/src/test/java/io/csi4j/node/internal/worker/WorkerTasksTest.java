package io.csi4j.node.internal.worker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.concurrent.HostCallbacks;
import io.csi4j.node.NodeVolumeException;
import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class WorkerTasksTest {
    private final Queue<Runnable> accepted = new ArrayDeque<>();
    private final Queue<Runnable> scheduled = new ArrayDeque<>();
    private final List<String> done = new ArrayList<>();
    private final List<String> events = new ArrayList<>();
    private boolean rejecting;
    private final WorkerTasks tasks = new WorkerTasks(
            VolumeKey.of("team", "data"),
            task -> {
                if (rejecting) {
                    throw new RejectedExecutionException("full");
                }
                accepted.add(task);
            },
            (delay, task) -> {
                scheduled.add(task);
                return () -> {};
            },
            Duration.ofSeconds(1),
            new Reporter(
                    event -> events.add(event.message()),
                    Clock.systemUTC(),
                    Runnable::run,
                    new HostCallbacks(Runnable::run, (delay, task) -> () -> {})),
            () -> done.add("before"));

    private void runAccepted() {
        for (Runnable task = accepted.poll(); task != null; task = accepted.poll()) {
            task.run();
        }
    }

    @Test
    void completionRunsAfterTheTaskThatAddedIt() {
        tasks.execute(() -> {
            tasks.afterTask(() -> done.add("completion"));
            done.add("task");
        });
        assertThat(tasks.isIdle()).isFalse();
        runAccepted();
        assertThat(tasks.isIdle()).isTrue();
        assertThat(done).containsExactly("before", "task", "completion");
    }

    @Test
    void rejectedTaskIsReportedAndRunsWhenTheExecutorAcceptsIt() {
        rejecting = true;
        tasks.run(() -> done.add("task"));
        assertThat(events).singleElement().asString().contains("data");
        assertThat(tasks.isIdle()).isTrue();
        rejecting = false;
        scheduled.remove().run();
        runAccepted();
        assertThat(done).containsExactly("before", "task");
    }

    @Test
    void requestAfterCloseFailsWithoutBeingRun() {
        CompletableFuture<String> future = new CompletableFuture<>();
        tasks.execute(tasks::close);
        tasks.submit(future, () -> done.add("request"));
        runAccepted();
        assertThat(done).doesNotContain("request");
        assertThatThrownBy(future::join)
                .cause()
                .isInstanceOfSatisfying(
                        NodeVolumeException.class,
                        error -> assertThat(error.reason()).isEqualTo(NodeVolumeException.Reason.CLOSED));
    }

    @Test
    void requestThatThrowsFailsItsFuture() {
        CompletableFuture<String> future = new CompletableFuture<>();
        tasks.submit(future, () -> {
            throw new IllegalStateException("broken");
        });
        runAccepted();
        assertThatThrownBy(future::join).hasRootCauseMessage("broken");
    }

    @Test
    void callAfterCloseIsNotMade() {
        tasks.execute(tasks::close);
        CompletableFuture<?> call = tasks.callUnlessClosed(() -> {
            done.add("call");
            return CompletableFuture.completedFuture(null);
        });
        runAccepted();
        assertThat(done).doesNotContain("call");
        assertThatThrownBy(call::join).hasCauseInstanceOf(NodeVolumeException.class);
    }

    @Test
    void callThatTheExecutorRejectsFailsWithKnownOutcome() {
        rejecting = true;
        CompletableFuture<?> call = tasks.callUnlessClosed(() -> CompletableFuture.completedFuture(null));
        assertThatThrownBy(call::join).hasCauseInstanceOf(IOException.class).hasMessageContaining("nothing was sent");
    }

    /** Adds a task that is followed by another one, so that the executor has to run its completions in tasks of their own. */
    private void taskBeforeAnother(Runnable task, Runnable another) {
        tasks.execute(() -> {
            tasks.execute(another);
            task.run();
        });
    }

    private Runnable completion(String name) {
        return () -> done.add(name);
    }

    @Test
    void completionsBeginInOrderBesideTheNextTask() {
        taskBeforeAnother(
                () -> {
                    tasks.afterTask(completion("a"));
                    tasks.afterTask(completion("b"));
                },
                () -> {
                    assertThat(accepted).hasSize(2);
                    runAccepted();
                    done.add("task");
                });
        runAccepted();
        assertThat(done).containsExactly("before", "before", "a", "b", "task");
    }

    @Test
    void completionCanWaitForLaterCompletion() {
        Runnable first = () -> {
            accepted.remove().run();
            done.add("first");
        };
        taskBeforeAnother(
                () -> {
                    tasks.afterTask(first);
                    tasks.afterTask(completion("second"));
                },
                this::runAccepted);
        runAccepted();
        assertThat(done).containsExactly("before", "before", "second", "first");
    }

    @Test
    void executorRunsSecondCompletionWhileFirstCompletionBlocksThreadOfTasks() {
        tasks.execute(() -> {
            tasks.afterTask(() -> {
                accepted.remove().run();
                done.add("first");
            });
            tasks.afterTask(completion("second"));
        });
        runAccepted();
        assertThat(done).containsExactly("before", "second", "first");
    }

    @Test
    void rejectedCompletionRunsWhenExecutorAcceptsTasksAgain() {
        taskBeforeAnother(
                () -> {
                    tasks.afterTask(completion("a"));
                    rejecting = true;
                },
                () -> {
                    scheduled.remove().run();
                    assertThat(done).doesNotContain("a");
                    rejecting = false;
                    scheduled.remove().run();
                    assertThat(done).doesNotContain("a");
                    runAccepted();
                    assertThat(done).endsWith("a");
                });
        runAccepted();
        assertThat(done).containsExactly("before", "before", "a");
        assertThat(scheduled).isEmpty();
    }

    @Test
    void earlierCompletionCanWaitForLastCompletionIfExecutorWasShutDown() throws InterruptedException {
        CountDownLatch last = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(3);
        taskBeforeAnother(
                () -> {
                    tasks.afterTask(() -> {
                        try {
                            last.await();
                            ended.countDown();
                        } catch (InterruptedException e) {
                            throw new AssertionError(e);
                        }
                    });
                    rejecting = true;
                },
                () -> {
                    tasks.close();
                    tasks.afterTask(ended::countDown);
                    tasks.afterTask(() -> {
                        ended.countDown();
                        last.countDown();
                    });
                });
        runAccepted();
        assertThat(ended.await(60, TimeUnit.SECONDS)).isTrue();
        scheduled.remove().run();
        assertThat(scheduled).isEmpty();
    }
}
