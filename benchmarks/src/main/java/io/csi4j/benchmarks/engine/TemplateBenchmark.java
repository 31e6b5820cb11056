package io.csi4j.benchmarks.engine;

import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.command.ClaimRequest;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.id.VolumeKey;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.LifecycleOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BiFunction;

/**
 * Compares claims that make their volumes from templates with claims of volumes that exist. Rounds of both alternate, and
 * each ratio is the median of the ratios of the rounds.
 */
public final class TemplateBenchmark {
    static final PluginId PLUGIN = PluginId.of("disk");
    private static final int BURSTS = 5;
    private static final int BURST = 2_000;

    /** The rounds that are not measured, until the code is compiled. */
    private static final int WARM_UP = 3;

    private TemplateBenchmark() {}

    /**
     * Runs all measurements.
     *
     * @param args {@code --volumes N}, 100000 by default; {@code --nodes N}, 10000 by default; {@code --rounds N}, 15 by
     *     default; {@code --only claims|nodes|quota|removal}
     */
    public static void main(String[] args) {
        int volumes = 100_000;
        int nodes = 10_000;
        int rounds = 15;
        String only = "";
        for (int i = 0; i + 1 < args.length; i += 2) {
            switch (args[i]) {
                case "--volumes" -> volumes = Integer.parseInt(args[i + 1]);
                case "--nodes" -> nodes = Integer.parseInt(args[i + 1]);
                case "--rounds" -> rounds = Integer.parseInt(args[i + 1]);
                case "--only" -> only = args[i + 1];
                default -> throw new IllegalArgumentException("unknown option " + args[i]);
            }
        }
        System.out.println("| measurement | value | budget |");
        System.out.println("| --- | --: | --: |");
        if (only.isEmpty() || only.equals("claims")) {
            claims(volumes, rounds);
        }
        if (only.isEmpty() || only.equals("nodes")) {
            TemplateNodes.run(nodes, rounds);
        }
        if (only.isEmpty() || only.equals("quota")) {
            QuotaCost.run(volumes, rounds);
        }
        if (only.isEmpty() || only.equals("removal")) {
            EphemeralVolumes.run(volumes);
        }
        System.exit(0);
    }

    /** Prints a ratio of two measurements whose rounds alternated: the median of the ratios, and both medians. */
    static void ratio(String label, double[] measured, double[] baseline, String budget) {
        double[] ratios = new double[measured.length];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = measured[i] / baseline[i];
        }
        EngineBenchmark.line(
                label,
                String.format(
                        Locale.ROOT, "%.2f (%s, %s)", median(ratios), time(median(measured)), time(median(baseline))),
                budget);
    }

    static double median(double[] values) {
        double[] sorted = values.clone();
        Arrays.sort(sorted);
        return sorted[sorted.length / 2];
    }

    static String time(double nanos) {
        return nanos < 1e6
                ? String.format(Locale.ROOT, "%.1f us", nanos / 1e3)
                : String.format(Locale.ROOT, "%.1f ms", nanos / 1e6);
    }

    private static void claims(int volumes, int rounds) {
        double[] plain = new double[rounds];
        double[] made = new double[rounds];
        double[] ephemeral = new double[rounds];
        try (EngineRig rig = new EngineRig(Duration.ZERO, LifecycleOptions.ofDefaults(), 1)) {
            rig.zonedCluster(PLUGIN);
            rig.volumes(PLUGIN, volumes);
            for (int round = -WARM_UP; round < rounds; round++) {
                int at = Math.max(round, 0);
                String name = "r" + (round + WARM_UP) + "-";
                int first = (round + WARM_UP) * BURSTS * BURST;
                plain[at] = round(rig, name + "plain-", (i, id) -> EngineRig.request(existing(volumes, first + i)));
                made[at] = round(rig, name + "made-", (i, id) -> EngineRig.madeRequest(kept(name, i)));
                delete(rig, name);
                ephemeral[at] = round(rig, name + "own-", (i, id) -> EngineRig.ephemeralRequest(id));
            }
        }
        ratio("CPU for a claim that makes its volume and its release, against a plain one", made, plain, "2.2");
        ratio("the same, and the deletion of the volume", ephemeral, plain, "");
    }

    private static VolumeKey existing(int volumes, int number) {
        return EngineRig.key(PLUGIN, (int) (number * 7_919L % volumes));
    }

    private static VolumeKey kept(String round, int number) {
        return VolumeKey.of("default", round + "kept-" + number);
    }

    /** Returns the CPU time of the process for one claim, in nanoseconds, from the request until its volume is settled. */
    private static double round(
            EngineRig rig, String name, BiFunction<Integer, AllocationId, List<ClaimRequest>> request) {
        long before = CpuTimes.now().total();
        for (int from = 0; from < BURSTS * BURST; from += BURST) {
            List<CompletableFuture<ClaimGrant>> grants = new ArrayList<>();
            for (int i = from; i < from + BURST; i++) {
                AllocationId id = AllocationId.of(name + i);
                rig.allocation(id, EngineRig.node(i % EngineRig.NODES), AllocationStatus.RUNNING);
                grants.add(rig.lifecycle.claims().claim(id, request.apply(i, id)));
            }
            CompletableFuture.allOf(grants.toArray(CompletableFuture[]::new)).join();
            for (int i = from; i < from + BURST; i++) {
                rig.allocation(AllocationId.of(name + i), EngineRig.node(i % EngineRig.NODES), AllocationStatus.ENDED);
            }
            settle(rig);
        }
        return (CpuTimes.now().total() - before) / (double) (BURSTS * BURST);
    }

    private static void delete(EngineRig rig, String round) {
        List<CompletableFuture<Void>> deletions = new ArrayList<>();
        for (int i = 0; i < BURSTS * BURST; i++) {
            deletions.add(rig.lifecycle.volumes().delete(kept(round, i)));
        }
        CompletableFuture.allOf(deletions.toArray(CompletableFuture[]::new)).join();
        settle(rig);
    }

    private static void settle(EngineRig rig) {
        while (rig.store.snapshot().unsettledVolumes().iterator().hasNext()) {
            LockSupport.parkNanos(1_000_000);
        }
    }
}
