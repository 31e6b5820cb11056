package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import io.csi4j.node.NodeVolumeException.Reason;
import io.csi4j.node.internal.ledger.FileLedger;
import io.csi4j.node.internal.ledger.VolumeEntry;
import io.csi4j.node.internal.ledger.VolumeLedger;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Requests that are made during the stop complete, and nothing is written after the stop. */
class NodeStopTest {
    @TempDir
    Path base;

    private final ScheduledExecutorService scheduler = Executors.newSingleThreadScheduledExecutor();
    private final ExecutorService pool = Executors.newFixedThreadPool(4);
    private final List<String> writtenLate = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        scheduler.shutdownNow();
        pool.shutdownNow();
    }

    /** Records writes after the ledger was closed, and runs code of the test when the ledger is read. */
    private final class Watched implements VolumeLedger {
        private final VolumeLedger ledger;
        private final Runnable reading;
        private volatile boolean closed;

        Watched(Runnable reading) throws IOException {
            this.ledger = FileLedger.open(base.toRealPath().resolve("ledger"), false);
            this.reading = reading;
        }

        @Override
        public Contents load() throws IOException {
            reading.run();
            if (closed) {
                writtenLate.add("load");
            }
            return ledger.load();
        }

        @Override
        public void save(VolumeEntry entry) throws IOException {
            if (closed) {
                writtenLate.add(entry.key().toString());
            }
            ledger.save(entry);
        }

        @Override
        public void remove(VolumeKey key) throws IOException {
            if (closed) {
                writtenLate.add(key.toString());
            }
            ledger.remove(key);
        }

        @Override
        public void close() throws IOException {
            closed = true;
            ledger.close();
        }
    }

    private NodeVolumes volumes(Executor executor, NodePlugins plugins, Runnable reading) throws IOException {
        return NodeVolumes.builder(base, plugins)
                .environment(
                        Environment.of(Clock.systemUTC(), Timer.from(scheduler), executor, new SplittableRandom(1)))
                .ledger(new Watched(reading))
                .build();
    }

    private static Throwable failure(CompletableFuture<?> future) {
        try {
            future.orTimeout(60, TimeUnit.SECONDS).join();
            throw new AssertionError("the operation did not fail");
        } catch (CompletionException e) {
            return e.getCause();
        }
    }

    private static void wasClosed(CompletableFuture<?> future) {
        assertThat(failure(future))
                .isInstanceOfSatisfying(
                        NodeVolumeException.class, e -> assertThat(e.reason()).isEqualTo(Reason.CLOSED));
    }

    private static CompletableFuture<MountedVolume> mount(NodeVolumes volumes, String volume) {
        return volumes.mount(Bench.request(volume, "a").build());
    }

    private static void await(CountDownLatch latch) {
        try {
            assertThat(latch.await(60, TimeUnit.SECONDS)).isTrue();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void mountRequestedDuringStopCompletes() throws Exception {
        CountDownLatch halfWayIn = new CountDownLatch(1);
        CountDownLatch goOn = new CountDownLatch(1);
        Thread[] guest = new Thread[1];
        Executor executor = task -> {
            if (Thread.currentThread().equals(guest[0])) {
                halfWayIn.countDown();
                await(goOn);
            }
            pool.execute(task);
        };
        NodeVolumes volumes = volumes(executor, id -> Optional.empty(), () -> {});
        volumes.start().join();
        CompletableFuture<CompletableFuture<MountedVolume>> mounting = new CompletableFuture<>();
        guest[0] = new Thread(() -> mounting.complete(mount(volumes, "v")));
        guest[0].start();
        await(halfWayIn);

        CompletableFuture<CompletableFuture<Void>> stopping = new CompletableFuture<>();
        Thread stopper = new Thread(() -> stopping.complete(volumes.stop()));
        stopper.start();
        while (stopper.getState() != Thread.State.WAITING && stopper.isAlive()) {
            Thread.onSpinWait();
        }
        goOn.countDown();
        stopping.get(60, TimeUnit.SECONDS).get(60, TimeUnit.SECONDS);
        wasClosed(mounting.get(60, TimeUnit.SECONDS));
        assertThat(writtenLate).isEmpty();
        // Accepted requests are in the ledger, and the next start resumes them.
        NodeVolumes next = volumes(pool, id -> Optional.empty(), () -> {});
        next.start().join();
        assertThat(next.status(VolumeKey.of("ns", "v")).orElseThrow().uses()).hasSize(1);
        next.stop().join();
    }

    @Test
    void concurrentMountsCompleteBeforeStopAndNoWriteFollows() throws Exception {
        for (int round = 0; round < 60; round++) {
            NodeVolumes volumes = volumes(pool, id -> Optional.empty(), () -> {});
            volumes.start().join();
            ConcurrentLinkedQueue<CompletableFuture<MountedVolume>> begun = new ConcurrentLinkedQueue<>();
            CountDownLatch go = new CountDownLatch(1);
            List<Thread> guests = new ArrayList<>();
            for (int t = 0; t < 4; t++) {
                int number = t;
                Thread guest = new Thread(() -> {
                    await(go);
                    for (int i = 0; i < 20; i++) {
                        begun.add(mount(volumes, "v" + number + "-" + i));
                    }
                });
                guest.start();
                guests.add(guest);
            }
            go.countDown();
            CompletableFuture<Void> stopped = volumes.stop();
            stopped.get(60, TimeUnit.SECONDS);
            for (Thread guest : guests) {
                guest.join(60_000);
            }
            assertThat(begun).hasSize(80).allSatisfy(NodeStopTest::wasClosed);
            assertThat(writtenLate).isEmpty();
        }
    }

    @Test
    void startFailsAndWritesNothingIfStopIsCalledBeforeStartTaskRuns() throws Exception {
        List<Runnable> queue = new ArrayList<>();
        NodeVolumes volumes = volumes(queue::add, id -> Optional.empty(), () -> {});
        CompletableFuture<Void> started = volumes.start();
        CompletableFuture<MountedVolume> early = mount(volumes, "v");
        CompletableFuture<Void> stopped = volumes.stop();
        assertThat(stopped).isCompleted();
        wasClosed(started);
        wasClosed(early);
        queue.forEach(Runnable::run);
        assertThat(writtenLate).isEmpty();
        assertThat(volumes.volumes()).isEmpty();
    }

    @Test
    void stopCalledDuringStartWaitsUntilStartEnds() throws Exception {
        NodeVolumes[] volumes = new NodeVolumes[1];
        List<CompletableFuture<Void>> stopped = new ArrayList<>();
        volumes[0] = volumes(pool, id -> Optional.empty(), () -> {
            stopped.add(volumes[0].stop());
            assertThat(stopped.get(0)).isNotDone();
        });
        wasClosed(volumes[0].start());
        stopped.get(0).get(60, TimeUnit.SECONDS);
        assertThat(writtenLate).isEmpty();
        wasClosed(mount(volumes[0], "v"));
    }

    @Test
    void nodeVolumesCannotBeStartedAgainAfterStop() throws Exception {
        NodeVolumes volumes = volumes(pool, id -> Optional.empty(), () -> {});
        assertThatThrownBy(() -> mount(volumes, "v")).isInstanceOf(IllegalStateException.class);
        volumes.stop().join();
        volumes.stop().join();
        wasClosed(volumes.start());
        wasClosed(mount(volumes, "v"));
    }

    @Test
    void stopCompletesIfExecutorWasShutDown() throws Exception {
        ExecutorService own = Executors.newFixedThreadPool(2);
        NodeVolumes volumes = volumes(own, id -> Optional.empty(), () -> {});
        volumes.start().join();
        CompletableFuture<MountedVolume> waiting = mount(volumes, "v");
        while (volumes.volumes().isEmpty()) {
            Thread.onSpinWait();
        }
        own.shutdown();
        assertThat(own.awaitTermination(60, TimeUnit.SECONDS)).isTrue();
        assertThat(failure(mount(volumes, "w"))).hasMessageContaining("stop the node volumes before their executor");
        volumes.stop().get(60, TimeUnit.SECONDS);
        wasClosed(waiting);
        assertThat(writtenLate).isEmpty();
        // Another instance can use the base directory.
        NodeVolumes next = volumes(pool, id -> Optional.empty(), () -> {});
        next.start().join();
        next.stop().join();
    }

    @Test
    void startFailsIfExecutorWasShutDown() throws Exception {
        NodeVolumes volumes = volumes(
                task -> {
                    throw new RejectedExecutionException("closed");
                },
                id -> Optional.empty(),
                () -> {});
        wasClosed(volumes.start());
        volumes.stop().get(60, TimeUnit.SECONDS);
    }

    @Test
    void callWaitingForSecretsIsNotMadeAfterStop() {
        Bench bench = new Bench(base, 1, true);
        bench.done(bench.mount("v", "a"));
        CompletableFuture<MountSecrets> secrets = new CompletableFuture<>();
        bench.secrets = (id, allocation) -> secrets;
        bench.crash();
        bench.node.reboot();
        bench.open();
        bench.node.log.clear();
        bench.time.advance(Duration.ofSeconds(1));
        CompletableFuture<Void> stopped = bench.volumes.stop();
        bench.time.advance(Duration.ofSeconds(1));
        assertThat(stopped).isCompleted();
        secrets.complete(MountSecrets.none());
        bench.time.advance(Duration.ofMinutes(5));
        assertThat(bench.node.log).isEmpty();
    }

    @Test
    void cancellingFuturesOfStartAndStopHasNoEffect() throws Exception {
        NodeVolumes volumes = volumes(pool, id -> Optional.empty(), () -> {});
        CompletableFuture<Void> started = volumes.start();
        started.cancel(false);
        CompletableFuture<MountedVolume> mount = mount(volumes, "v");
        volumes.stop().cancel(false);
        volumes.stop().get(60, TimeUnit.SECONDS);
        wasClosed(mount);
    }
}
