package io.csi4j.node;

import static org.assertj.core.api.Assertions.assertThat;

import io.csi4j.core.csi.CapabilitySet;
import io.csi4j.core.csi.NodeCapability;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.concurrent.Futures;
import io.csi4j.core.rpc.NodePublishVolumeRequest;
import io.csi4j.core.rpc.NodeService;
import io.csi4j.core.rpc.NodeStageVolumeRequest;
import io.csi4j.core.rpc.NodeUnpublishVolumeRequest;
import io.csi4j.core.rpc.NodeUnstageVolumeRequest;
import io.csi4j.core.spi.Environment;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Concurrent requests, responses and failures on many threads: each future completes, and no mount is left. */
@Timeout(120)
class NodeRaceTest {
    private static final int VOLUMES = 3;
    private static final int HOSTS = 4;

    @TempDir
    Path base;

    private final ScheduledExecutorService timers = Executors.newScheduledThreadPool(1);
    private final ExecutorService threads = Executors.newCachedThreadPool();
    private final ExecutorService calls = Executors.newCachedThreadPool();
    private final Set<Path> mounts = ConcurrentHashMap.newKeySet();
    private final Map<String, AtomicInteger> inFlight = new ConcurrentHashMap<>();
    private final Queue<String> violations = new ConcurrentLinkedQueue<>();
    private final Set<String> staged = ConcurrentHashMap.newKeySet();
    private final Map<String, Set<String>> published = new ConcurrentHashMap<>();

    private final AtomicInteger calledSoFar = new AtomicInteger();
    private volatile boolean refusing;
    private volatile boolean stopping;

    @AfterEach
    void end() {
        threads.shutdownNow();
        calls.shutdownNow();
        timers.shutdownNow();
    }

    private CompletableFuture<Void> call(String volume, Runnable effect) {
        calledSoFar.incrementAndGet();
        if (inFlight.computeIfAbsent(volume, key -> new AtomicInteger()).incrementAndGet() > 1) {
            violations.add("two calls in flight for " + volume + " (R26)");
        }
        int way = ThreadLocalRandom.current().nextInt(10);
        Runnable work = () -> {
            effect.run();
            inFlight.get(volume).decrementAndGet();
        };
        if (way == 0) {
            work.run();
            return CompletableFuture.completedFuture(null);
        }
        try {
            return CompletableFuture.runAsync(work, way < 3 ? threads : calls);
        } catch (RejectedExecutionException e) {
            // The executor rejects the call because the host has ended, so the call has not begun.
            inFlight.get(volume).decrementAndGet();
            throw e;
        }
    }

    private CompletableFuture<?> make(Object request) {
        if (request instanceof NodeStageVolumeRequest stage) {
            return call(stage.volumeId().value(), () -> {
                if (!Files.isDirectory(Path.of(stage.stagingTargetPath()))) {
                    violations.add("no staging directory");
                }
                staged.add(stage.volumeId().value());
                mounts.add(Path.of(stage.stagingTargetPath()));
            });
        }
        if (request instanceof NodePublishVolumeRequest publish) {
            return call(publish.volumeId().value(), () -> {
                if (!staged.contains(publish.volumeId().value())) {
                    violations.add("published before staged");
                }
                Path target = Path.of(publish.targetPath());
                if (!target.toFile().isDirectory() && !target.toFile().mkdir()) {
                    violations.add("no parent of " + target);
                }
                mounts.add(target);
                published
                        .computeIfAbsent(publish.volumeId().value(), key -> ConcurrentHashMap.newKeySet())
                        .add(publish.targetPath());
            });
        }
        if (request instanceof NodeUnpublishVolumeRequest unpublish) {
            return call(unpublish.volumeId().value(), () -> {
                mounts.remove(Path.of(unpublish.targetPath()));
                published
                        .computeIfAbsent(unpublish.volumeId().value(), key -> ConcurrentHashMap.newKeySet())
                        .remove(unpublish.targetPath());
            });
        }
        if (request instanceof NodeUnstageVolumeRequest unstage) {
            return call(unstage.volumeId().value(), () -> {
                if (!published
                        .getOrDefault(unstage.volumeId().value(), Set.of())
                        .isEmpty()) {
                    violations.add("unstaged while published");
                }
                staged.remove(unstage.volumeId().value());
                mounts.remove(Path.of(unstage.stagingTargetPath()));
            });
        }
        throw new AssertionError(request);
    }

    private NodeVolumes volumes(Executor executor) {
        NodeService service = (NodeService) Proxy.newProxyInstance(
                NodeService.class.getClassLoader(),
                new Class<?>[] {NodeService.class},
                (proxy, method, arguments) -> make(arguments[0]));
        NodePlugin plugin = NodePlugin.of(
                service, CapabilitySet.of(NodeCapability.class, Set.of(NodeCapability.STAGE_UNSTAGE_VOLUME)));
        return NodeVolumes.builder(base, id -> Optional.of(plugin))
                .environment(Environment.of(
                        Clock.systemUTC(),
                        (delay, task) -> {
                            var planned = timers.schedule(task, delay.toNanos(), TimeUnit.NANOSECONDS);
                            return () -> planned.cancel(false);
                        },
                        executor,
                        new SplittableRandom(1)))
                .mountTable(new MountTable() {
                    @Override
                    public MountPoints read() {
                        return MountPoints.of(Set.copyOf(mounts));
                    }

                    @Override
                    public Optional<String> bootId() {
                        return Optional.of("boot");
                    }
                })
                .options(NodeVolumeOptions.builder().syncedWrites(false).build())
                .checkEvery(Duration.ofMillis(20))
                .build();
    }

    private void host(NodeVolumes volumes, int host, long seed, int rounds) {
        List<CompletableFuture<?>> all = new ArrayList<>();
        SplittableRandom random = new SplittableRandom(seed * 31 + host);
        for (int round = 0; round < rounds; round++) {
            String volume = "v" + random.nextInt(VOLUMES);
            String allocation = "h" + host + "-" + round;
            NodeUnmount unmount = new NodeUnmount(Bench.id(volume), AllocationId.of(allocation));
            CompletableFuture<MountedVolume> mount =
                    volumes.mount(Bench.request(volume, allocation).build());
            int way = random.nextInt(5);
            CompletableFuture<?> end;
            if (way == 0) {
                CompletableFuture<MountedVolume> same =
                        volumes.mount(Bench.request(volume, allocation).build());
                end = mount.thenRun(same::join)
                        .thenRun(() -> volumes.unmount(unmount).join());
            } else if (way == 1) {
                for (int spin = random.nextInt(3000); spin > 0; spin--) {
                    Thread.onSpinWait();
                }
                if (mount.cancel(false)) {
                    continue;
                }
                end = volumes.unmount(unmount);
            } else if (way == 2) {
                mount.cancel(false);
                CompletableFuture<MountedVolume> again =
                        volumes.mount(Bench.request(volume, allocation).build());
                end = again.thenCompose(mounted -> volumes.unmount(unmount));
            } else if (way == 3) {
                CompletableFuture<Void> gone = volumes.unmount(unmount);
                end = gone.thenRun(() -> volumes.unmount(unmount).join());
            } else {
                end = mount.thenRun(() -> volumes.unmount(unmount).join());
            }
            all.add(end);
            if (random.nextInt(4) > 0) {
                join(end);
            }
        }
        for (CompletableFuture<?> each : all) {
            join(each);
        }
    }

    private void join(CompletableFuture<?> future) {
        try {
            future.get(30, TimeUnit.SECONDS);
        } catch (ExecutionException | CancellationException e) {
            Throwable cause = e.getCause() == null ? e : Futures.unwrap(e.getCause());
            boolean expected = cause instanceof NodeVolumeException failure
                    && (failure.reason() == NodeVolumeException.Reason.WITHDRAWN
                            || ((refusing || stopping) && failure.reason() == NodeVolumeException.Reason.CLOSED));
            if (!expected && !(cause instanceof CancellationException)) {
                violations.add(String.valueOf(cause));
            }
        } catch (InterruptedException | TimeoutException e) {
            violations.add("hangs: " + e);
        }
    }

    private static LongStream seeds() {
        long first = Long.getLong("csi4j.raceSeed", 1);
        return LongStream.range(first, first + Long.getLong("csi4j.raceSeeds", 4));
    }

    private List<String> left() throws IOException {
        List<String> files = new ArrayList<>();
        for (String directory : List.of("staging", "publish", "ledger/ns")) {
            Path root = base.resolve(directory);
            if (Files.isDirectory(root)) {
                try (Stream<Path> found = Files.walk(root)) {
                    found.filter(path -> !path.equals(root)).map(Path::toString).forEach(files::add);
                }
            }
        }
        return files;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void allFuturesCompleteDespiteRandomRaces(long seed) throws Exception {
        Executor executor = task -> {
            if (refusing && ThreadLocalRandom.current().nextInt(50) == 0) {
                throw new RejectedExecutionException("the queue is full");
            }
            threads.execute(task);
        };
        NodeVolumes volumes = volumes(executor);
        volumes.start().get(30, TimeUnit.SECONDS);
        // In half of the runs the start is rejected; its future fails and there are no volumes.
        refusing = seed % 2 == 0;
        List<CompletableFuture<?>> hosts = new ArrayList<>();
        for (int host = 0; host < HOSTS; host++) {
            int mine = host;
            hosts.add(CompletableFuture.runAsync(() -> host(volumes, mine, seed, 150), threads));
        }
        for (CompletableFuture<?> each : hosts) {
            each.get(100, TimeUnit.SECONDS);
        }
        assertThat(violations).isEmpty();
        if (refusing) {
            refusing = false;
            for (NodeVolumeStatus status : volumes.volumes()) {
                for (NodeVolumeStatus.Use use : status.uses()) {
                    join(volumes.unmount(
                            new NodeUnmount(Bench.id(status.volume().volumeId().value()), use.allocationId())));
                }
            }
        }
        for (int volume = 0; volume < VOLUMES; volume++) {
            join(volumes.unmount(new NodeUnmount(Bench.id("v" + volume), AllocationId.of("nobody"))));
        }
        long limit = System.nanoTime() + 20_000_000_000L;
        while (!volumes.volumes().isEmpty() && System.nanoTime() < limit) {
            Thread.onSpinWait();
        }
        assertThat(volumes.volumes()).as("%s", mounts).isEmpty();
        CompletableFuture<Void> stop = volumes.stop();
        stop.get(30, TimeUnit.SECONDS);
        assertThat(violations).isEmpty();
        assertThat(mounts).isEmpty();
        assertThat(left()).isEmpty();
    }

    private Map<String, String> ledger() throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (Stream<Path> found = Files.walk(base)) {
            for (Path path : found.filter(Files::isRegularFile).toList()) {
                files.put(path.toString(), Arrays.toString(Files.readAllBytes(path)));
            }
        }
        return files;
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void stopDuringRandomWorkCompletesAllFuturesAndEndsAllWrites(long seed) throws Exception {
        SplittableRandom random = new SplittableRandom(seed);
        NodeVolumes volumes = volumes(threads);
        CompletableFuture<Void> started = volumes.start();
        stopping = true;
        List<CompletableFuture<?>> hosts = new ArrayList<>();
        for (int host = 0; host < HOSTS; host++) {
            int mine = host;
            hosts.add(CompletableFuture.runAsync(() -> host(volumes, mine, seed, 40), threads));
        }
        for (long spin = random.nextLong(20_000_000); spin > 0; spin--) {
            Thread.onSpinWait();
        }
        if (seed % 2 == 0) {
            threads.shutdown();
        }
        volumes.stop().get(30, TimeUnit.SECONDS);
        int called = calledSoFar.get();
        Map<String, String> written = ledger();
        for (CompletableFuture<?> each : hosts) {
            each.get(60, TimeUnit.SECONDS);
        }
        assertThat(violations).isEmpty();
        assertThat(started).isDone();
        assertThat(calledSoFar).hasValue(called);
        assertThat(ledger()).isEqualTo(written);
    }
}
