package io.csi4j.node.internal.mount;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.spi.VirtualTime;
import io.csi4j.node.PathProbe.Finding;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Probes whose threads run when the test says so: a thread that was started but has not run stands for a path that hangs. */
class StatProbeTest {
    private static final int AT_A_TIME = 16;
    private static final Duration LIMIT = Duration.ofSeconds(10);

    @TempDir
    Path temporary;

    private Path directory;

    private final VirtualTime time = VirtualTime.inOrder();
    private final Queue<Runnable> started = new ArrayDeque<>();
    private final StatProbe probe = new StatProbe(Held::new, time, LIMIT);

    @BeforeEach
    void createDirectory() throws IOException {
        directory = temporary.toRealPath();
    }

    private final class Held extends Thread {
        private final Runnable query;

        Held(Runnable query) {
            this.query = query;
        }

        @Override
        public synchronized void start() {
            started.add(query);
        }
    }

    private Finding found(Path path) {
        CompletableFuture<Finding> finding = probe.probe(path);
        started.remove().run();
        return finding.join();
    }

    @Test
    void onlyFailureThatProvesBrokenMountIsReported() throws IOException {
        Path file = Files.writeString(directory.resolve("file"), "");
        Path link = Files.createSymbolicLink(directory.resolve("link"), file);
        assertThat(found(directory)).isEqualTo(Finding.SOUND);
        assertThat(found(directory.resolve("missing"))).isEqualTo(Finding.SOUND);
        assertThat(found(file.resolve("below"))).isEqualTo(Finding.BROKEN);
        assertThat(found(link)).isEqualTo(Finding.BROKEN);
    }

    @Test
    void pathThatHangsHasNoAnswerAtLimitAndOneThread() {
        CompletableFuture<Finding> first = probe.probe(directory);
        time.advance(LIMIT.minusNanos(1));
        assertThat(first).isNotDone();
        time.advance(Duration.ofNanos(1));
        assertThat(first).isCompletedWithValue(Finding.NO_ANSWER);
        assertThat(probe.probe(directory)).isCompletedWithValue(Finding.NO_ANSWER);
        assertThat(started).hasSize(1);
        started.remove().run();
        CompletableFuture<Finding> next = probe.probe(directory);
        assertThat(next).isNotDone();
        started.remove().run();
        assertThat(next).isCompletedWithValue(Finding.SOUND);
    }

    @Test
    void callerThatCancelsDoesNotCancelProbeOfAnother() {
        CompletableFuture<Finding> first = probe.probe(directory);
        CompletableFuture<Finding> second = probe.probe(directory);
        CompletableFuture<Finding> third = probe.probe(directory);
        first.cancel(false);
        second.cancel(false);
        started.remove().run();
        assertThat(started).isEmpty();
        assertThat(third).isCompletedWithValue(Finding.SOUND);
    }

    @Test
    void furtherPathsWaitUntilOneOfSixteenHasAnsweredOrHangs() {
        List<CompletableFuture<Finding>> all = new ArrayList<>();
        for (int path = 0; path < AT_A_TIME + 3; path++) {
            all.add(probe.probe(directory.resolve("path" + path)));
        }
        assertThat(started).hasSize(AT_A_TIME);
        started.remove().run();
        assertThat(all.get(0)).isCompletedWithValue(Finding.SOUND);
        assertThat(started).hasSize(AT_A_TIME);
        started.remove().run();
        assertThat(started).hasSize(AT_A_TIME);
        time.advance(LIMIT);
        // The paths that hang do not count, and so the last one has begun, too.
        assertThat(started).hasSize(AT_A_TIME + 1);
        assertThat(all.subList(2, AT_A_TIME)).allMatch(each -> each.join() == Finding.NO_ANSWER);
        assertThat(all.get(AT_A_TIME + 2)).isNotDone();
        // An answer that comes after the limit does not make room a second time.
        List.copyOf(started).forEach(Runnable::run);
        started.clear();
        assertThat(all.get(AT_A_TIME + 2)).isCompletedWithValue(Finding.SOUND);
        for (int path = 0; path < AT_A_TIME + 3; path++) {
            assertThat(probe.probe(directory.resolve("again" + path))).isNotDone();
        }
        assertThat(started).hasSize(AT_A_TIME);
    }

    @Test
    void limitOfProbeThatHasAnsweredHasEnded() {
        assertThat(found(directory)).isEqualTo(Finding.SOUND);
        assertThat(time.timers()).isZero();
    }
}
