package io.csi4j.benchmarks.node;

import com.sun.management.OperatingSystemMXBean;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.id.NodeId;
import io.csi4j.core.id.PluginId;
import io.csi4j.core.plugin.InstanceKey;
import io.csi4j.core.plugin.PluginType;
import io.csi4j.registry.FilePluginStateStore;
import io.csi4j.registry.PluginRegistration;
import io.csi4j.registry.PluginRegistry;
import io.csi4j.registry.PluginRole;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** What plugins cost that are well and have nothing to do. */
final class Idle {
    private static final Duration SETTLING = Duration.ofSeconds(40);
    private static final Duration LOOK = Duration.ofSeconds(60);

    private Idle() {}

    static void measure(Path directory, int number) throws Exception {
        OperatingSystemMXBean system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        try (PluginProgram plugin = PluginProgram.start(directory, number, 0, 1);
                PluginRegistry registry = PluginRegistry.builder(NodeId.of("n"))
                        .store(FilePluginStateStore.at(directory.resolve("plugins")))
                        .clock(Clock.systemUTC())
                        .random(new SplittableRandom(1))
                        .open()) {
            pause(Duration.ofSeconds(5));
            double without = share(system);
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
            for (int i = 0; i < number; i++) {
                registry.waitForHealthy(PluginRole.NODE, PluginId.of("p" + i), Duration.ofSeconds(60))
                        .join();
            }
            // What is being compiled meanwhile is not what it costs for good.
            pause(SETTLING);
            double with = share(system);
            System.out.printf(
                    "%d ready plugins, idle for %d s: %.3f %% of a core, of which the program alone %.3f %%: %.3f %%"
                            + " (at most 0.2 %%)%n%n",
                    number, LOOK.toSeconds(), with * 100, without * 100, (with - without) * 100);
        }
    }

    private static double share(OperatingSystemMXBean system) throws InterruptedException {
        long cpu = system.getProcessCpuTime();
        long begin = System.nanoTime();
        pause(LOOK);
        return (double) (system.getProcessCpuTime() - cpu) / (System.nanoTime() - begin);
    }

    private static void pause(Duration pause) throws InterruptedException {
        boolean never = new CountDownLatch(1).await(pause.toMillis(), TimeUnit.MILLISECONDS);
        if (never) {
            throw new IllegalStateException("nobody counts down");
        }
    }
}
