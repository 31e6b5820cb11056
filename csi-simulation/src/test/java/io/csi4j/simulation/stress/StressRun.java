package io.csi4j.simulation.stress;

import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.csi.AccessMode;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.EngineInside;
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

/** One engine on real threads, and hosts that use it from several others. */
final class StressRun implements AutoCloseable {
    private static final int HOSTS = 4;
    private static final int CREATED = 10;
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final long seed;
    private final StateStore store = StateStore.create();
    private final ExecutorService pool = Executors.newFixedThreadPool(8);
    private final ScheduledThreadPoolExecutor timers = new ScheduledThreadPoolExecutor(1);
    private final ScheduledThreadPoolExecutor others = new ScheduledThreadPoolExecutor(3);
    private final RacyLog log = new RacyLog(store, others);
    private final StressPlugin plugin = new StressPlugin(others, store);
    private final StressCluster cluster = new StressCluster(store);
    private final VolumeLifecycle lifecycle;
    private final Queue<StressWorkload> workloads = new ConcurrentLinkedQueue<>();
    private final Set<CompletableFuture<?>> answers = ConcurrentHashMap.newKeySet();

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
                        .scanInterval(Duration.ofMillis(50))
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

    /** Answers what went wrong; nothing is good. */
    List<String> run(int allocations) throws Exception {
        lifecycle.startLeading();
        ExecutorService hosts = Executors.newFixedThreadPool(HOSTS);
        try {
            List<CompletableFuture<Void>> all = new ArrayList<>();
            for (int i = 0; i < HOSTS; i++) {
                int host = i;
                all.add(CompletableFuture.runAsync(() -> host(host, allocations / HOSTS), hosts));
            }
            CompletableFuture.allOf(all.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
        } finally {
            hosts.shutdownNow();
        }
        return calmDown();
    }

    private void host(int host, int allocations) {
        Random random = new Random(seed * 31 + host);
        List<StressWorkload> mine = new ArrayList<>();
        int placed = 0;
        while (placed < allocations) {
            if (mine.size() < 12) {
                mine.add(place(AllocationId.of("a" + host + "-" + placed++), random));
            }
            act(mine.get(random.nextInt(mine.size())), random);
            mine.removeIf(workload -> random.nextInt(60) == 0 && ended(workload));
        }
    }

    private static boolean ended(StressWorkload workload) {
        workload.end();
        return true;
    }

    private StressWorkload place(AllocationId id, Random random) {
        Set<Integer> volumes = new TreeSet<>();
        for (int i = random.nextInt(3); i >= 0; i--) {
            volumes.add(random.nextInt(StressCluster.VOLUMES));
        }
        List<ClaimRequest> requests = new ArrayList<>();
        for (int volume : volumes) {
            AccessMode mode = StressCluster.mode(volume);
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
            case 4, 5, 6 -> answers.add(workload.release(random.nextInt(3)));
            case 7, 8, 9 -> answers.add(lifecycle.operator().detach(volume, workload.node));
            case 10, 11 -> answers.add(lifecycle.operator().collect(volume));
            case 12, 13, 14 -> answers.add(lifecycle.claims().status(volume));
            case 15, 16 -> create(random.nextInt(CREATED));
            case 17, 18 -> answers.add(lifecycle.volumes().delete(created(random.nextInt(CREATED))));
            case 19 -> {
                int node = random.nextInt(StressCluster.NODES);
                cluster.fingerprint(node, false);
                cluster.fingerprint(node, true);
            }
            default -> workload.again();
        }
        answers.removeIf(CompletableFuture::isDone);
    }

    private static VolumeKey created(int number) {
        return VolumeKey.of("default", "made" + number);
    }

    private void create(int number) {
        answers.add(lifecycle
                .volumes()
                .create(
                        created(number),
                        VolumeSpec.builder(StressCluster.PLUGIN)
                                .requestedCapabilities(
                                        List.of(RequestedCapability.mount(AccessMode.SINGLE_NODE_WRITER)))
                                .build()));
    }

    /** No more trouble, everybody goes home: all has to come to its end. */
    private List<String> calmDown() throws Exception {
        log.behave();
        plugin.behave();
        lifecycle.startLeading();
        workloads.forEach(StressWorkload::end);
        List<String> wrong = new ArrayList<>();
        settled(() -> answers.stream().allMatch(CompletableFuture::isDone) ? "" : "an answer is missing", wrong);
        for (int i = 0; i < CREATED; i++) {
            answers.add(lifecycle.volumes().delete(created(i)));
        }
        settled(this::remains, wrong);
        lifecycle.stopLeading();
        settled(this::held, wrong);
        wrong.addAll(plugin.violations);
        return wrong;
    }

    /** What of the work is left. */
    private String remains() {
        StringBuilder text = new StringBuilder();
        StateReader state = store.snapshot();
        for (int i = 0; i < StressCluster.VOLUMES; i++) {
            Optional<Volume> volume = state.volume(StressCluster.volume(i));
            volume.filter(Volume::inUse).ifPresent(known -> text.append(known).append("; "));
        }
        for (int i = 0; i < CREATED; i++) {
            state.volume(created(i)).ifPresent(known -> text.append(known).append("; "));
        }
        if (!answers.stream().allMatch(CompletableFuture::isDone)) {
            text.append("an answer is missing; ");
        }
        workloads.stream()
                .filter(workload -> !workload.answered())
                .forEach(
                        workload -> text.append("claim of ").append(workload.id).append(" is not answered; "));
        text.append(left("attached", plugin.attached)).append(left("mounted", plugin.mounted));
        text.append(left("made", plugin.made)).append(left("in flight", plugin.inFlight()));
        return text + EngineInside.remains(lifecycle);
    }

    private static String left(String what, Set<String> some) {
        return some.isEmpty() ? "" : what + " " + some + "; ";
    }

    /** What an engine that does not lead holds on to. */
    private String held() {
        int timed = timers.getQueue().size();
        return (log.watches() == 0 ? "" : log.watches() + " watches; ")
                + (timed == 0 ? "" : timed + " timers; ")
                + EngineInside.remains(lifecycle);
    }

    private interface Look {
        String remains();
    }

    /** Looks each millisecond until nothing remains. */
    private void settled(Look look, List<String> wrong) throws Exception {
        CompletableFuture<Void> settled = new CompletableFuture<>();
        var looking = others.scheduleWithFixedDelay(
                () -> {
                    try {
                        if (look.remains().isEmpty()) {
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
            wrong.add("after " + PATIENCE + ": " + look.remains());
        } finally {
            looking.cancel(false);
        }
    }

    @Override
    public void close() {
        lifecycle.stopLeading();
        pool.shutdownNow();
        timers.shutdownNow();
        others.shutdownNow();
        store.close();
    }
}
