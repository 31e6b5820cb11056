package io.csi4j.benchmarks.engine;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.internal.command.NodeCommand;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.volume.Volume;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;

/** Prints the CPU time of the engine alone, with plugins that need no time, and the duration of many releases at once. */
public final class EngineBenchmark {
    private static final PluginId PLUGIN = PluginId.of("disk");
    private static final PluginId HANGING = PluginId.of("hangs");
    private static final int BURSTS = 10;
    private static final int BURST = 2_000;

    /** The claims that are measured beside waiting ones. */
    private static final int CLAIMS_BESIDE = 5_000;

    private EngineBenchmark() {}

    /**
     * Runs all measurements.
     *
     * @param args {@code --volumes N}, {@code --releases N} and {@code --waiters N}, 100000 each by default, and {@code
     *     --rounds N}, 15 by default
     */
    public static void main(String[] args) {
        int volumes = 100_000;
        int releases = 100_000;
        int rounds = 15;
        int waiters = 100_000;
        for (int i = 0; i + 1 < args.length; i += 2) {
            switch (args[i]) {
                case "--volumes" -> volumes = Integer.parseInt(args[i + 1]);
                case "--releases" -> releases = Integer.parseInt(args[i + 1]);
                case "--waiters" -> waiters = Integer.parseInt(args[i + 1]);
                case "--rounds" -> rounds = Integer.parseInt(args[i + 1]);
                default -> throw new IllegalArgumentException("unknown option " + args[i]);
            }
        }
        if (waiters < CLAIMS_BESIDE / 10) {
            throw new IllegalArgumentException("--waiters: " + waiters + " end too early; use " + CLAIMS_BESIDE / 10
                    + " or more, because one ends after each 10 of " + CLAIMS_BESIDE + " claims");
        }
        System.out.println("| measurement | value | budget |");
        System.out.println("| --- | --: | --: |");
        cycles(volumes, rounds, false);
        cycles(volumes, rounds, true);
        wakeUp();
        besideWaiters(waiters);
        double baseline = rackLost(releases, false);
        double besideHanging = rackLost(releases, true);
        line("ratio with a second plugin that hangs", String.format(Locale.ROOT, "%.2f", besideHanging / baseline), "");
        System.exit(0);
    }

    static void line(String label, String value, String budget) {
        System.out.println("| " + label + " | " + value + " | " + budget + " |");
    }

    /**
     * Measures the CPU time of the whole process for one claim, from the request to the release. A round is long enough
     * to include garbage collections. The fastest round counts, because disturbances only add time.
     */
    private static void cycles(int volumes, int maxRounds, boolean separateAnswerThread) {
        LifecycleOptions options = LifecycleOptions.ofDefaults();
        try (EngineRig rig = separateAnswerThread
                ? EngineRig.separateAnswerThread(options, 1)
                : new EngineRig(Duration.ZERO, options, 1)) {
            rig.cluster(PLUGIN);
            rig.volumes(PLUGIN, volumes);
            List<CpuTimes> rounds = new ArrayList<>();
            for (int round = 0; round < maxRounds; round++) {
                CpuTimes before = CpuTimes.now();
                for (int burst = 0; burst < BURSTS; burst++) {
                    cycles(rig, volumes, round * BURSTS + burst);
                }
                rounds.add(CpuTimes.now().since(before));
            }
            CpuTimes best = Collections.min(rounds, Comparator.comparingLong(CpuTimes::total));
            best.print(
                    separateAnswerThread
                            ? "the same with a separate answer thread"
                            : "CPU for a claim and its release, " + volumes + " volumes",
                    BURSTS * BURST,
                    separateAnswerThread ? "" : "50 us");
        }
    }

    private static void cycles(EngineRig rig, int volumes, int burst) {
        List<CompletableFuture<ClaimGrant>> grants = new ArrayList<>();
        for (int i = 0; i < BURST; i++) {
            AllocationId id = AllocationId.of("a-" + burst + "-" + i);
            rig.allocation(id, EngineRig.node(i % EngineRig.NODES), AllocationStatus.RUNNING);
            grants.add(rig.lifecycle.claims().claim(id, EngineRig.request(volume(volumes, burst, i))));
        }
        // Waits for all grants together: a separate wait for each grant would cost this thread more CPU time than one
        // commit of the state, and so distort the measurement.
        CompletableFuture.allOf(grants.toArray(CompletableFuture[]::new)).join();
        for (int i = 0; i < BURST; i++) {
            AllocationId id = AllocationId.of("a-" + burst + "-" + i);
            rig.allocation(id, EngineRig.node(i % EngineRig.NODES), AllocationStatus.ENDED);
        }
        settle(rig);
    }

    private static VolumeKey volume(int volumes, int burst, int i) {
        return EngineRig.key(PLUGIN, (int) ((burst * (long) BURST + i) * 7_919 % volumes));
    }

    private static void settle(EngineRig rig) {
        while (rig.store.snapshot().unsettledVolumes().iterator().hasNext()) {
            LockSupport.parkNanos(1_000_000);
        }
    }

    /**
     * Measures the time from the end of the allocation that holds a volume to the grant of the waiting claim. The plugins need no time for
     * the release.
     */
    private static void wakeUp() {
        try (EngineRig rig = new EngineRig(Duration.ZERO, LifecycleOptions.ofDefaults(), 2)) {
            rig.cluster(PLUGIN);
            rig.volumes(PLUGIN, 1);
            VolumeKey key = EngineRig.key(PLUGIN, 0);
            int count = 2_000;
            long[] nanos = new long[count];
            AllocationId holder = AllocationId.of("a-0");
            rig.allocation(holder, EngineRig.node(0), AllocationStatus.RUNNING);
            rig.lifecycle.claims().claim(holder, EngineRig.request(key)).join();
            for (int i = 0; i < count; i++) {
                AllocationId next = AllocationId.of("a-" + (i + 1));
                NodeId node = EngineRig.node((i + 1) % EngineRig.NODES);
                rig.allocation(next, node, AllocationStatus.RUNNING);
                CompletableFuture<ClaimGrant> grant = rig.lifecycle.claims().claim(next, EngineRig.request(key));
                long start = System.nanoTime();
                rig.allocation(holder, EngineRig.node(i % EngineRig.NODES), AllocationStatus.ENDED);
                grant.join();
                nanos[i] = System.nanoTime() - start;
                holder = next;
            }
            Arrays.sort(nanos);
            line("a waiting claim is granted after, p50", micros(nanos[count / 2]), "5000 us");
            line("the same, p99", micros(nanos[count * 99 / 100]), "5000 us");
        }
    }

    /**
     * Measures the time of a claim while many claims wait for another volume, as a multiple of the time without them.
     * Between the measured claims, the waiting ones are granted one after the other.
     */
    private static void besideWaiters(int waiters) {
        int count = CLAIMS_BESIDE;
        try (EngineRig rig = new EngineRig(Duration.ZERO, LifecycleOptions.ofDefaults(), 2)) {
            rig.cluster(PLUGIN);
            rig.volumes(PLUGIN, count + 1);
            VolumeKey awaited = EngineRig.key(PLUGIN, count);
            // Without waiting claims, the allocations that hold the awaited volume come and go as well.
            long[] warmUp = claims(rig, "warm", count, awaited, List.of());
            long[] alone = claims(rig, "alone", count, awaited, List.of());
            List<AllocationId> queue = new ArrayList<>();
            for (int i = 0; i < waiters; i++) {
                AllocationId id = AllocationId.of("waits-" + i);
                rig.allocation(id, EngineRig.node(i % EngineRig.NODES), AllocationStatus.RUNNING);
                var unused = rig.lifecycle.claims().claim(id, EngineRig.request(awaited));
                queue.add(id);
            }
            long[] beside = claims(rig, "beside", count, awaited, queue);
            line("a claim is granted after, p99, measured first", micros(warmUp[count * 99 / 100]), "");
            line("a claim is granted after, p99", micros(alone[count * 99 / 100]), "");
            line(
                    "the same beside " + waiters + " claims that wait for another volume, as a multiple",
                    String.format(
                            Locale.ROOT,
                            "%.2f (p50 %.2f)",
                            beside[count * 99 / 100] / (double) alone[count * 99 / 100],
                            beside[count / 2] / (double) alone[count / 2]),
                    "2");
        }
    }

    /**
     * Claims a volume at a time, and returns the sorted times until the grants, in nanoseconds. After each 10 claims, the
     * allocation that holds the awaited volume ends.
     */
    private static long[] claims(EngineRig rig, String name, int count, VolumeKey awaited, List<AllocationId> queue) {
        long[] nanos = new long[count];
        for (int i = 0; i < count; i++) {
            AllocationId id = AllocationId.of(name + "-" + i);
            NodeId node = EngineRig.node(i % EngineRig.NODES);
            rig.allocation(id, node, AllocationStatus.RUNNING);
            long start = System.nanoTime();
            rig.lifecycle
                    .claims()
                    .claim(id, EngineRig.request(EngineRig.key(PLUGIN, i)))
                    .join();
            nanos[i] = System.nanoTime() - start;
            rig.allocation(id, node, AllocationStatus.ENDED);
            if (i % 10 == 9) {
                AllocationId holder = queue.isEmpty() ? AllocationId.of(name + "-holds-" + i) : queue.get(i / 10);
                if (queue.isEmpty()) {
                    rig.allocation(holder, node, AllocationStatus.RUNNING);
                    var unused = rig.lifecycle.claims().claim(holder, EngineRig.request(awaited));
                }
                rig.allocation(
                        holder,
                        EngineRig.node(queue.isEmpty() ? i % EngineRig.NODES : i / 10 % EngineRig.NODES),
                        AllocationStatus.ENDED);
            }
        }
        Arrays.sort(nanos);
        return nanos;
    }

    private static String micros(long nanos) {
        return String.format(Locale.ROOT, "%.0f us", nanos / 1e3);
    }

    /** Fences nodes, so that all claims on them are released at once. Returns the duration in seconds. */
    private static double rackLost(int releases, boolean withHangingPlugin) {
        LifecycleOptions options =
                LifecycleOptions.builder().callsInFlight(1_000).build();
        try (EngineRig rig = new EngineRig(Duration.ofMillis(50), options, 2)) {
            rig.cluster(PLUGIN, HANGING);
            rig.volumes(PLUGIN, releases);
            take(rig, PLUGIN, releases);
            if (withHangingPlugin) {
                int hangingVolumes = releases / 10;
                rig.volumes(HANGING, hangingVolumes);
                take(rig, HANGING, hangingVolumes);
                rig.plugins.hang(HANGING);
            }
            rig.plugins.maxInFlight.set(0);
            int threads = Thread.activeCount();
            CpuTimes before = CpuTimes.now();
            long start = System.nanoTime();
            for (int n = 3; n < EngineRig.NODES; n++) {
                rig.store.apply(new NodeCommand.FenceNode(EngineRig.node(n), "rack lost", Instant.now()));
            }
            int maxThreads = threads;
            while (hasUnsettled(rig)) {
                maxThreads = Math.max(maxThreads, Thread.activeCount());
                LockSupport.parkNanos(10_000_000);
            }
            double seconds = (System.nanoTime() - start) / 1e9;
            CpuTimes spent = CpuTimes.now().since(before);
            double ideal = releases * 0.05 / 1_000;
            if (!withHangingPlugin) {
                line(
                        releases + " releases at once, 50 ms a call, 1,000 in flight, against the ideal",
                        String.format(Locale.ROOT, "%.2f (%.2f s)", seconds / ideal, seconds),
                        "1.3");
                spent.print("CPU for each of them", releases, "");
                line("max calls in flight", Integer.toString(rig.plugins.maxInFlight.get()), "1000");
                line("additional threads", Integer.toString(maxThreads - threads), "0");
            }
            return seconds;
        }
    }

    private static void take(EngineRig rig, PluginId plugin, int count) {
        List<CompletableFuture<ClaimGrant>> grants = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            AllocationId id = AllocationId.of(plugin + "-a-" + i);
            rig.allocation(id, EngineRig.node(3 + i % (EngineRig.NODES - 3)), AllocationStatus.RUNNING);
            grants.add(rig.lifecycle.claims().claim(id, EngineRig.request(EngineRig.key(plugin, i))));
        }
        grants.forEach(CompletableFuture::join);
    }

    private static boolean hasUnsettled(EngineRig rig) {
        for (VolumeKey key : rig.store.snapshot().unsettledVolumes()) {
            boolean fastPlugin = rig.store
                    .snapshot()
                    .volume(key)
                    .map(Volume::pluginId)
                    .filter(PLUGIN::equals)
                    .isPresent();
            if (fastPlugin) {
                return true;
            }
        }
        return false;
    }
}
