package io.csi4j.benchmarks.node;

import io.csi4j.benchmarks.threads.ThreadTimes;
import io.csi4j.client.registry.FilePluginStateStore;
import io.csi4j.client.registry.PluginRegistry;
import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.client.registry.instance.PluginRegistration;
import io.csi4j.client.registry.instance.PluginRole;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Measures the cost of healthy plugins without work. */
final class IdlePlugins {
    private static final Duration SETTLE_TIME = Duration.ofSeconds(15);
    private static final Duration MEASUREMENT = Duration.ofSeconds(60);
    /**
     * The duration of the warm-up. During this time, the connections to plugins use short intervals, so that they make
     * as many probes and checks as in about an hour with normal intervals.
     */
    private static final Duration WARM_UP = Duration.ofSeconds(30);

    private static final ConnectionOptions FREQUENT = ConnectionOptions.builder()
            .probeInterval(Duration.ofMillis(100))
            .probeSpacing(Duration.ofMillis(50))
            .socketPollInterval(Duration.ofMillis(2))
            .build();

    private IdlePlugins() {}

    static void measure(Path directory, int number) throws Exception {
        try (PluginProgram plugin = PluginProgram.start(directory, number, 0, 1)) {
            // Warms up before the measurement, because in a long-running host this code is already compiled.
            try (PluginRegistry registry = open(plugin, directory.resolve("warm"), number, FREQUENT)) {
                awaitHealthy(registry, number);
                pause(WARM_UP);
            }
            pause(SETTLE_TIME);
            double without = withoutCompilers(measureShares());
            try (PluginRegistry registry =
                    open(plugin, directory.resolve("plugins"), number, ConnectionOptions.ofDefaults())) {
                awaitHealthy(registry, number);
                pause(SETTLE_TIME);
                Map<String, Double> shares = measureShares();
                double with = withoutCompilers(shares);
                System.out.printf(
                        "%d ready plugins, idle for %d s: %.3f %% of a core without what is still being compiled, of"
                                + " which the program alone %.3f %%: %.3f %% (at most 0.2 %%); by threads%n",
                        number, MEASUREMENT.toSeconds(), with, without, with - without);
                shares.entrySet().stream()
                        .sorted((a, b) -> Double.compare(b.getValue(), a.getValue()))
                        .limit(8)
                        .forEach(each -> System.out.printf("  %-16s %.3f %%%n", each.getKey(), each.getValue()));
                System.out.println();
            }
        }
    }

    private static PluginRegistry open(PluginProgram plugin, Path store, int number, ConnectionOptions options) {
        PluginRegistry registry = PluginRegistry.builder(NodeId.of("n"))
                .store(FilePluginStateStore.at(store))
                .options(options)
                .open();
        for (int i = 0; i < number; i++) {
            registry.register(PluginRegistration.of(
                            new InstanceKey(
                                    NodeId.of("n"),
                                    PluginId.of("p" + i),
                                    PluginType.NODE,
                                    Optional.of(AllocationId.of("a"))),
                            plugin.socket(i)))
                    .join();
        }
        return registry;
    }

    private static void awaitHealthy(PluginRegistry registry, int number) {
        for (int i = 0; i < number; i++) {
            registry.waitForHealthy(PluginRole.NODE, PluginId.of("p" + i), Duration.ofSeconds(60))
                    .join();
        }
    }

    /** Measures the CPU time of each thread while nothing happens; returns percents of a core by thread name. */
    private static Map<String, Double> measureShares() throws InterruptedException {
        Map<String, Long> before = ThreadTimes.byName();
        long begin = System.nanoTime();
        pause(MEASUREMENT);
        double time = System.nanoTime() - begin;
        Map<String, Double> shares = new TreeMap<>();
        ThreadTimes.byName()
                .forEach((name, nanos) -> shares.put(name, 100 * (nanos - before.getOrDefault(name, 0L)) / time));
        return shares;
    }

    /** Returns the sum of all shares, without those of the compiler threads of the virtual machine. */
    private static double withoutCompilers(Map<String, Double> shares) {
        return shares.entrySet().stream()
                .filter(each -> !each.getKey().contains("Compiler"))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    private static void pause(Duration pause) throws InterruptedException {
        boolean released = new CountDownLatch(1).await(pause.toMillis(), TimeUnit.MILLISECONDS);
        if (released) {
            throw new IllegalStateException("the latch was counted down");
        }
    }
}
