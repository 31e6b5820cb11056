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
import java.util.concurrent.RejectedExecutionException;
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
}
