package io.csi4j.simulation.stress;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.VolumeAccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.EngineInternals;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.Environment;
import io.csi4j.core.spi.Timer;
import io.csi4j.core.state.StateReader;
import io.csi4j.core.volume.ClaimMode;
import io.csi4j.core.volume.RequestedCapability;
import io.csi4j.core.volume.Volume;
import io.csi4j.core.volume.VolumeSpec;
import io.csi4j.state.StateStore;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** One engine on real threads, used by hosts on several other threads. */
final class StressRun implements AutoCloseable {
    private static final int HOSTS = 4;
    private static final int CREATED = 10;
    /** The time in which all work has to end. All backoffs are shorter than ten milliseconds. */
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private static final Duration MANY_SCANS = Duration.ofMillis(50);
    /** In half of the seeds no scan can repair a lost wake-up. */
    private static final Duration NO_SCAN = Duration.ofDays(1);

    private final long seed;
    private final StateStore store = StateStore.inMemory();
    private final ExecutorService pool = Executors.newFixedThreadPool(8);
    private final ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1);
    private final ScheduledThreadPoolExecutor otherThreads = new ScheduledThreadPoolExecutor(3);
    private final RacyLog log = new RacyLog(store, otherThreads);
    private final StressPlugin plugin = new StressPlugin(otherThreads, store);
    private final StressCluster cluster = new StressCluster(store);
    private final VolumeLifecycle lifecycle;
    private final Queue<StressWorkload> workloads = new ConcurrentLinkedQueue<>();
    private final Set<CompletableFuture<?>> pending = ConcurrentHashMap.newKeySet();

    StressRun(long seed) {
        this.seed = seed;
        timers.setRemoveOnCancelPolicy(true);
        lifecycle = VolumeLifecycle.builder()
                .log(log)
                .gateway(plugin)
                .environment(Environment.of(cluster.clock(), Timer.from(timers), pool, new Random(seed)))
                .options(LifecycleOptions.builder()
                        .callsInFlight(16)
                        .callTimeout(Duration.ofMinutes(5))
                        .retry(Duration.ofMillis(1), Duration.ofMillis(4))
                        .slowRetry(Duration.ofMillis(2), Duration.ofMillis(8))
                        .scanInterval(seed % 2 == 0 ? MANY_SCANS : NO_SCAN)
                        .build())
                .build();
    }

    StressCluster cluster() {
        return cluster;
    }

    StressPlugin plugin() {
        return plugin;
    }

    VolumeLifecycle lifecycle() {
        return lifecycle;
    }

    long calls() {
        return plugin.calls.get();
    }

    /** Runs the test and returns the problems; empty: none. */
    List<String> run(int allocations) throws Exception {
        lifecycle.startLeading();
        ExecutorService hosts = Executors.newFixedThreadPool(HOSTS);
        try {
            List<CompletableFuture<Void>> hostRuns = new ArrayList<>();
            for (int i = 0; i < HOSTS; i++) {
                int host = i;
                hostRuns.add(CompletableFuture.runAsync(() -> host(host, allocations / HOSTS), hosts));
            }
            CompletableFuture.allOf(hostRuns.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
        } finally {
            hosts.shutdownNow();
        }
        return settle();
    }

    private void host(int host, int allocations) {
        Random random = new Random(seed * 31 + host);
        List<StressWorkload> own = new ArrayList<>();
        int placed = 0;
        while (placed < allocations) {
            if (own.size() < 12) {
                own.add(start(AllocationId.of("a" + host + "-" + placed++), random));
            }
            act(own.get(random.nextInt(own.size())), random);
            own.removeIf(workload -> random.nextInt(60) == 0 && ended(workload));
        }
    }

    private static boolean ended(StressWorkload workload) {
        workload.end();
        return true;
    }

    private StressWorkload start(AllocationId id, Random random) {
        Set<Integer> volumes = new TreeSet<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            volumes.add(random.nextInt(StressCluster.VOLUMES));
        }
        List<ClaimRequest> requests = new ArrayList<>();
        for (int volume : volumes) {
            VolumeAccessMode mode = StressCluster.mode(volume);
            ClaimMode use = mode.readerOnly() || random.nextInt(3) == 0 ? ClaimMode.READ : ClaimMode.WRITE;
            requests.add(ClaimRequest.of(StressCluster.volume(volume), use, RequestedCapability.mount(mode)));
        }
        var node = StressCluster.node(random.nextInt(StressCluster.NODES));
        StressWorkload workload = new StressWorkload(this, id, node, requests);
        workloads.add(workload);
        workload.begin();
        return workload;
    }

    private void act(StressWorkload workload, Random random) {
        VolumeKey volume = StressCluster.volume(random.nextInt(StressCluster.VOLUMES));
        switch (random.nextInt(40)) {
            case 0 -> {
                lifecycle.stopLeading();
                lifecycle.startLeading();
            }
            case 1, 2, 3 -> workload.cancel();
            case 4, 5, 6 -> pending.add(workload.release(random.nextInt(3)));
            case 7, 8, 9 -> pending.add(lifecycle.operator().detach(volume, workload.node));
            case 10, 11 -> pending.add(lifecycle.operator().recheck(volume));
            case 12, 13, 14 -> pending.add(lifecycle.claims().status(volume));
            case 15, 16 -> create(random.nextInt(CREATED));
            case 17, 18 -> pending.add(lifecycle.volumes().delete(created(random.nextInt(CREATED))));
            case 19 -> {
                int node = random.nextInt(StressCluster.NODES);
                cluster.fingerprint(node, false);
                cluster.fingerprint(node, true);
            }
            default -> workload.retry();
        }
        pending.removeIf(CompletableFuture::isDone);
    }

    private static VolumeKey created(int number) {
        return VolumeKey.of("default", "made" + number);
    }

    private void create(int number) {
        pending.add(lifecycle
                .volumes()
                .create(
                        created(number),
                        VolumeSpec.builder(StressCluster.PLUGIN)
                                .requestedCapabilities(
                                        List.of(RequestedCapability.mount(VolumeAccessMode.SINGLE_NODE_WRITER)))
                                .build()));
    }

    /** Stops all failures and ends all workloads; all work must then end. */
    private List<String> settle() throws Exception {
        log.stopFailing();
        plugin.stopFailing();
        lifecycle.startLeading();
        workloads.forEach(StressWorkload::end);
        List<String> problems = new ArrayList<>();
        awaitNone(
                () -> pending.stream().allMatch(CompletableFuture::isDone) ? "" : "a future is not completed",
                problems);
        for (int i = 0; i < CREATED; i++) {
            pending.add(lifecycle.volumes().delete(created(i)));
        }
        awaitNone(this::remaining, problems);
        lifecycle.stopLeading();
        awaitNone(this::heldResources, problems);
        problems.addAll(plugin.violations);
        return problems;
    }

    /** The unfinished work. */
    private String remaining() {
        StringBuilder text = new StringBuilder();
        StateReader state = store.snapshot();
        for (int i = 0; i < StressCluster.VOLUMES; i++) {
            Optional<Volume> volume = state.volume(StressCluster.volume(i));
            volume.filter(Volume::inUse).ifPresent(known -> text.append(known).append("; "));
        }
        for (int i = 0; i < CREATED; i++) {
            state.volume(created(i)).ifPresent(known -> text.append(known).append("; "));
        }
        if (!pending.stream().allMatch(CompletableFuture::isDone)) {
            text.append("a future is not completed; ");
        }
        workloads.stream()
                .filter(workload -> !workload.answered())
                .forEach(
                        workload -> text.append("claim of ").append(workload.id).append(" is not answered; "));
        text.append(describe("attached", plugin.attached)).append(describe("mounted", plugin.mounted));
        text.append(describe("made", plugin.created)).append(describe("in flight", plugin.inFlight()));
        return text + EngineInternals.remaining(lifecycle);
    }

    private static String describe(String label, Set<String> items) {
        return items.isEmpty() ? "" : label + " " + items + "; ";
    }

    /** The watches, timers and queues that an engine holds although it does not lead. */
    private String heldResources() {
        int timerCount = timers.getQueue().size();
        return (log.watches() == 0 ? "" : log.watches() + " watches; ")
                + (timerCount == 0 ? "" : timerCount + " timers; ")
                + EngineInternals.remaining(lifecycle);
    }

    private interface Check {
        String remaining();
    }

    /** Checks each millisecond until nothing remains. */
    private void awaitNone(Check check, List<String> problems) throws Exception {
        CompletableFuture<Void> settled = new CompletableFuture<>();
        var polling = otherThreads.scheduleWithFixedDelay(
                () -> {
                    try {
                        if (check.remaining().isEmpty()) {
                            settled.complete(null);
                        }
                    } catch (RuntimeException e) {
                        settled.completeExceptionally(e);
                    }
                },
                0,
                1,
                TimeUnit.MILLISECONDS);
        try {
            settled.get(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            problems.add("after " + PATIENCE + ": " + check.remaining());
        } finally {
            polling.cancel(false);
        }
    }

    @Override
    public void close() {
        lifecycle.stopLeading();
        pool.shutdownNow();
        timers.shutdownNow();
        otherThreads.shutdownNow();
        store.close();
    }
}
