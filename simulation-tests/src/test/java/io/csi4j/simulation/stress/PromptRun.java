package io.csi4j.simulation.stress;

import io.csi4j.core.call.Rpc;
import io.csi4j.core.call.StatusCode;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.ClaimEvent;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.EventListener;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.state.StateStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Creates, uses and deletes volumes on real threads, while calls for each of them fail first. No scan takes place, so a
 * lost wake-up leaves its volume as it is.
 */
public final class PromptRun implements Callable<Duration> {
    /**
     * The longest time of an operation. The backoffs of an operation together last less than a fifth of a second; the
     * rest is for a machine with many other tasks. A lost wake-up would last a day.
     */
    static final Duration BOUND = Duration.ofSeconds(20);

    private static final VolumeAccessMode MODE = VolumeAccessMode.SINGLE_NODE_WRITER;

    private final int volumes;
    private final int atOneTime;
    private final StateStore store = StateStore.inMemory();
    private final ScheduledThreadPoolExecutor pluginThreads = new ScheduledThreadPoolExecutor(3);
    private final Map<String, Integer> failed = new ConcurrentHashMap<>();
    private final StressPlugin plugin = new StressPlugin(pluginThreads, store, this::failure);
    private final RacyLog log = new RacyLog(store, pluginThreads);
    private final StressCluster cluster = new StressCluster(store);
    private final Environment environment = Environment.system();
    private final Map<VolumeKey, CompletableFuture<Void>> freed = new ConcurrentHashMap<>();
    private final AtomicLong longest = new AtomicLong();
    private final Semaphore places;
    private final VolumeLifecycle lifecycle;

    /** Creates a run with a number of volumes, and the number of volumes that are used at one time. */
    public PromptRun(int volumes, int atOneTime) {
        this.volumes = volumes;
        this.atOneTime = atOneTime;
        this.places = new Semaphore(atOneTime);
        this.lifecycle = VolumeLifecycle.builder()
                .log(log)
                .gateway(plugin)
                .environment(environment)
                .listener(new EventListener() {
                    @Override
                    public void claimChanged(ClaimEvent event) {
                        if (event.change() == ClaimEvent.Change.FREED) {
                            freed(event.volume()).complete(null);
                        }
                    }
                })
                .options(LifecycleOptions.builder()
                        .callsInFlight(atOneTime)
                        .retry(Duration.ofMillis(10), Duration.ofMillis(40))
                        .slowRetry(Duration.ofMillis(10), Duration.ofMillis(40))
                        .scanInterval(Duration.ofDays(1))
                        .build())
                .build();
    }

    /** Returns the time of the longest operation. Fails if a volume does not end within the bound. */
    @Override
    public Duration call() throws Exception {
        log.stopFailing();
        lifecycle.startLeading();
        try {
            for (int i = 0; i < volumes; i++) {
                acquire(1);
                var unused = live(i).whenComplete((done, failure) -> {
                    if (failure == null) {
                        places.release();
                    }
                });
            }
            acquire(atOneTime);
        } finally {
            lifecycle.stopLeading();
            environment.close();
            pluginThreads.shutdownNow();
            store.close();
        }
        return Duration.ofNanos(longest.get());
    }

    private void acquire(int count) throws InterruptedException {
        if (!places.tryAcquire(count, BOUND.toSeconds(), TimeUnit.SECONDS)) {
            List<String> unfinished = new ArrayList<>();
            for (VolumeKey key : store.snapshot().unsettledVolumes()) {
                lifecycle
                        .claims()
                        .status(key)
                        .join()
                        .ifPresent(status -> unfinished.add(key + ": " + status.remaining()));
            }
            throw new IllegalStateException("no end within " + BOUND + ": " + unfinished);
        }
    }

    /** Lets the first two attempts of each CreateVolume fail, and the first attempt of every other call. */
    private @Nullable StatusCode failure(Rpc rpc, String service) {
        int failures = rpc == Rpc.CREATE_VOLUME ? 2 : 1;
        return failed.merge(rpc + " " + service, 1, Integer::sum) <= failures ? StatusCode.INTERNAL : null;
    }

    /** Creates a volume, uses it once and deletes it. Several calls for it fail first. */
    private CompletableFuture<Void> live(int number) {
        VolumeKey key = VolumeKey.of("default", "prompt" + number);
        AllocationId allocation = AllocationId.of("prompt" + number);
        VolumeSpec spec = VolumeSpec.builder(StressCluster.PLUGIN)
                .requestedCapabilities(List.of(RequestedCapability.mount(MODE)))
                .build();
        cluster.status(allocation, StressCluster.node(number % StressCluster.NODES), AllocationStatus.RUNNING);
        return timed(() -> lifecycle.volumes().create(key, spec))
                .thenCompose(created -> timed(() -> lifecycle
                        .claims()
                        .claim(
                                allocation,
                                List.of(ClaimRequest.of(key, ClaimMode.WRITE, RequestedCapability.mount(MODE))))))
                .thenCompose(granted ->
                        timed(() -> lifecycle.claims().release(key, allocation).thenCompose(stored -> freed(key))))
                .thenCompose(released ->
                        timed(() -> lifecycle.volumes().delete(key)).thenAccept(deleted -> freed.remove(key)));
    }

    private CompletableFuture<Void> freed(VolumeKey key) {
        return freed.computeIfAbsent(key, unused -> new CompletableFuture<>());
    }

    /** Runs an operation and remembers the time of the longest one. */
    private <R> CompletableFuture<R> timed(Supplier<CompletableFuture<R>> operation) {
        long begin = System.nanoTime();
        return operation
                .get()
                .whenComplete((done, failure) -> longest.accumulateAndGet(System.nanoTime() - begin, Math::max));
    }
}
