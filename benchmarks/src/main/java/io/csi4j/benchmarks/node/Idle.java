package io.csi4j.benchmarks.node;

import io.csi4j.benchmarks.threads.ThreadTimes;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.registry.FilePluginStateStore;
import io.csi4j.registry.PluginRegistry;
import io.csi4j.registry.instance.ConnectionOptions;
import io.csi4j.registry.instance.PluginRegistration;
import io.csi4j.registry.instance.PluginRole;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What plugins cost that are well and have nothing to do. */
final class Idle {
    private static final Duration SETTLING = Duration.ofSeconds(15);
    private static final Duration LOOK = Duration.ofSeconds(60);
    /** As many probes and looks as the host otherwise makes in about an hour. */
    private static final Duration WARMING = Duration.ofSeconds(30);

    private static final ConnectionOptions QUICK = ConnectionOptions.builder()
            .probeInterval(Duration.ofMillis(100))
            .probeSpacing(Duration.ofMillis(50))
            .socketPollInterval(Duration.ofMillis(2))
            .build();

    private Idle() {}

    static void measure(Path directory, int number) throws Exception {
        try (PluginProgram plugin = PluginProgram.start(directory, number, 0, 1)) {
            // A host runs for weeks: the cost while its program is still being compiled is not what it costs.
            try (PluginRegistry registry = open(plugin, directory.resolve("warm"), number, QUICK)) {
                allAreReady(registry, number);
                pause(WARMING);
            }
            pause(SETTLING);
            double without = own(look());
            try (PluginRegistry registry =
                    open(plugin, directory.resolve("plugins"), number, ConnectionOptions.ofDefaults())) {
                allAreReady(registry, number);
                pause(SETTLING);
                Map<String, Double> shares = look();
                double with = own(shares);
                System.out.printf(
                        "%d ready plugins, idle for %d s: %.3f %% of a core without what is still being compiled, of"
                                + " which the program alone %.3f %%: %.3f %% (at most 0.2 %%); by threads%n",
                        number, LOOK.toSeconds(), with, without, with - without);
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

    private static void allAreReady(PluginRegistry registry, int number) {
        for (int i = 0; i < number; i++) {
            registry.waitForHealthy(PluginRole.NODE, PluginId.of("p" + i), Duration.ofSeconds(60))
                    .join();
        }
    }

    /** What the threads run for while nothing happens, in percent of a core, by their names. */
    private static Map<String, Double> look() throws InterruptedException {
        Map<String, Long> before = ThreadTimes.byName();
        long begin = System.nanoTime();
        pause(LOOK);
        double time = System.nanoTime() - begin;
        Map<String, Double> shares = new TreeMap<>();
        ThreadTimes.byName()
                .forEach((name, nanos) -> shares.put(name, 100 * (nanos - before.getOrDefault(name, 0L)) / time));
        return shares;
    }

    /** All but the compilers of the virtual machine. */
    private static double own(Map<String, Double> shares) {
        return shares.entrySet().stream()
                .filter(each -> !each.getKey().contains("Compiler"))
                .mapToDouble(Map.Entry::getValue)
                .sum();
    }

    private static void pause(Duration pause) throws InterruptedException {
        boolean never = new CountDownLatch(1).await(pause.toMillis(), TimeUnit.MILLISECONDS);
        if (never) {
            throw new IllegalStateException("nobody counts down");
        }
    }
}
