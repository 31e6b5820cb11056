package io.csi4j.core.lifecycle;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.lifecycle.internal.call.EngineExecutor;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import org.junit.jupiter.api.Test;

class EngineExecutorTest {
    private final Queue<Runnable> host = new ArrayDeque<>();
    private final EngineExecutor executor = new EngineExecutor(host::add, host::add);
    private final List<String> done = new ArrayList<>();

    private void runAll() {
        while (!host.isEmpty()) {
            host.remove().run();
        }
    }

    private Runnable task(String name) {
        return () -> done.add(name);
    }

    @Test
    void whatGoesOnWithATaskRunsRightAfterItInTheSameThread() {
        executor.execute(() -> {
            executor.next(task("on"));
            assertThat(executor.hasNext()).isTrue();
            assertThat(executor.runsHere()).isTrue();
            done.add("first");
        });
        executor.execute(task("other"));
        host.remove().run();
        assertThat(done).containsExactly("first", "on");
        assertThat(executor.hasNext()).isFalse();
        assertThat(executor.runsHere()).isFalse();
        runAll();
        assertThat(done).containsExactly("first", "on", "other");
    }

    @Test
    void thereIsAPlaceForOneAndTheOthersWaitLikeAnybody() {
        executor.execute(() -> {
            executor.next(task("on"));
            executor.next(task("second"));
        });
        executor.execute(task("other"));
        runAll();
        assertThat(done).containsExactly("on", "other", "second");
    }

    @Test
    void outsideOfTasksItIsTheHostsExecutor() {
        executor.next(task("a"));
        assertThat(done).isEmpty();
        assertThat(executor.hasNext()).isFalse();
        runAll();
        assertThat(done).containsExactly("a");
    }

    @Test
    void manyThatGoOnWithOneAnotherDoNotStandOnOneAnother() {
        int count = 100_000;
        executor.execute(new Runnable() {
            private int left = count;

            @Override
            public void run() {
                if (--left > 0) {
                    executor.next(this);
                } else {
                    done.add("last");
                }
            }
        });
        runAll();
        assertThat(done).containsExactly("last");
    }

    @Test
    void oneThatFailsTakesNoOtherWithItAndIsTold() {
        executor.execute(() -> {
            executor.next(task("on"));
            throw new IllegalStateException("as the test wants it");
        });
        assertThatThrownBy(this::runAll).hasMessage("as the test wants it");
        assertThat(done).containsExactly("on");
        assertThat(executor.runsHere()).isFalse();
    }

    @Test
    void ofSeveralThatFailAllAreTold() {
        executor.execute(() -> {
            executor.next(() -> {
                throw new IllegalStateException("second");
            });
            throw new IllegalStateException("first");
        });
        assertThatThrownBy(this::runAll)
                .hasMessage("first")
                .satisfies(e -> assertThat(e.getSuppressed())
                        .singleElement()
                        .satisfies(other -> assertThat(other).hasMessage("second")));
    }

    /** Other languages throw checked exceptions anywhere. */
    @Test
    void whatNoTaskMayThrowDoesNotTakeTheThreadWithIt() {
        executor.execute(() -> {
            executor.next(task("on"));
            EngineExecutorTest.<RuntimeException>sneak(new IOException("as the test wants it"));
        });
        assertThatThrownBy(this::runAll).isInstanceOf(IOException.class);
        assertThat(executor.runsHere()).isFalse();
        runAll();
        assertThat(done).containsExactly("on");
    }

    @SuppressWarnings("unchecked")
    private static <T extends Throwable> void sneak(Throwable any) throws T {
        throw (T) any;
    }

    @Test
    void anExecutorThatRunsWhatItIsGivenAtOnceKeepsTheOrder() {
        EngineExecutor direct = new EngineExecutor(Runnable::run, Runnable::run);
        direct.execute(() -> {
            direct.next(task("on"));
            direct.execute(task("inside"));
            done.add("first");
        });
        assertThat(done).containsExactly("inside", "first", "on");
    }
}
