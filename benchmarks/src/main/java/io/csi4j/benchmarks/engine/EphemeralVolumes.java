package io.csi4j.benchmarks.engine;

import io.csi4j.benchmarks.scale.SlowPlugins;
import io.csi4j.core.cluster.AllocationStatus;
import io.csi4j.core.id.AllocationId;
import io.csi4j.core.internal.command.AllocationCommand;
import io.csi4j.core.lifecycle.ClaimGrant;
import io.csi4j.core.lifecycle.LifecycleOptions;
import io.csi4j.core.lifecycle.VolumeLifecycle;
import io.csi4j.core.spi.VirtualTime;
import io.csi4j.core.state.VolumeQuery;
import io.csi4j.state.LocalCommandLog;
import io.csi4j.state.StateStore;
import io.csi4j.state.StateStoreOptions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.function.BooleanSupplier;

/** Measures on virtual time how long volumes of allocations stay when all allocations end at once. */
final class EphemeralVolumes {
    private static final Duration LATENCY = Duration.ofMillis(50);
    private static final int IN_FLIGHT = 1_000;
    private static final Duration STEP = Duration.ofMillis(10);

    private EphemeralVolumes() {}

    static void run(int volumes) {
        VirtualTime time = VirtualTime.inOrder();
        SlowPlugins plugins = new SlowPlugins(time, LATENCY);
        try (StateStore store = StateStore.inMemory(
                        StateStoreOptions.builder().watchExecutor(time).build());
                VolumeLifecycle lifecycle = VolumeLifecycle.builder()
                        .log(new LocalCommandLog(store))
                        .gateway(plugins)
                        .environment(time.environment(new SplittableRandom(1)))
                        .callbackExecutor(time)
                        .options(LifecycleOptions.builder()
                                .callsInFlight(IN_FLIGHT)
                                .build())
                        .build()) {
            EngineRig.zonedCluster(TemplateBenchmark.PLUGIN, EngineRig.NODES, EngineRig.ZONES)
                    .forEach(command -> TemplateNodes.apply(store, command));
            lifecycle.startLeading();
            time.run();
            Duration asked = time.elapsed();
            List<CompletableFuture<ClaimGrant>> grants = new ArrayList<>();
            for (int i = 0; i < volumes; i++) {
                allocation(store, i, AllocationStatus.RUNNING);
                grants.add(lifecycle.claims().claim(id(i), EngineRig.ephemeralRequest(id(i))));
                arrive(time, i);
            }
            CompletableFuture<Void> all = CompletableFuture.allOf(grants.toArray(CompletableFuture[]::new));
            // A creation and a publication for each volume.
            Duration granting = until(time, asked, all::isDone);
            all.join();
            int unused = plugins.takeMaxInFlight();
            long calls = plugins.calls();
            long cpu = TemplateNodes.cpu();
            Duration ended = time.elapsed();
            for (int i = 0; i < volumes; i++) {
                allocation(store, i, AllocationStatus.ENDED);
                arrive(time, i);
            }
            Duration removing = until(time, ended, () -> isEmpty(store));
            print(
                    volumes + " claims that make their volumes at once, 50 ms a call, 1,000 in flight",
                    granting,
                    volumes,
                    "");
            print(volumes + " volumes of allocations that end at once, until all are gone", removing, volumes, "1.4");
            EngineBenchmark.line(
                    "CPU for each of them", TemplateBenchmark.time((TemplateNodes.cpu() - cpu) / (double) volumes), "");
            EngineBenchmark.line(
                    "calls for each of them",
                    String.format(Locale.ROOT, "%.2f", (plugins.calls() - calls) / (double) volumes),
                    "2");
            EngineBenchmark.line("max calls in flight", Integer.toString(plugins.takeMaxInFlight()), "1000");
        }
    }

    private static boolean isEmpty(StateStore store) {
        return store.snapshot()
                .volumes(VolumeQuery.builder().limit(1).build())
                .items()
                .isEmpty();
    }

    /** Prints a time against that of two calls for each volume with as many calls in flight as the limit permits. */
    private static void print(String label, Duration duration, int volumes, String budget) {
        double seconds = duration.toMillis() / 1e3;
        double ideal = 2.0 * volumes * LATENCY.toMillis() / 1e3 / IN_FLIGHT;
        EngineBenchmark.line(
                label + ", against the ideal",
                String.format(Locale.ROOT, "%.2f (%.2f s)", seconds / ideal, seconds),
                budget);
    }

    /** Lets a millisecond pass after each 1,000 reports of the host: virtual time stops at too many tasks in one instant. */
    private static void arrive(VirtualTime time, int reported) {
        if (reported % 1_000 == 999) {
            time.advance(Duration.ofMillis(1));
        }
    }

    private static Duration until(VirtualTime time, Duration start, BooleanSupplier done) {
        while (!done.getAsBoolean()) {
            if (time.elapsed().minus(start).compareTo(Duration.ofHours(1)) > 0) {
                throw new IllegalStateException("not done within an hour");
            }
            time.advance(STEP);
        }
        return time.elapsed().minus(start);
    }

    private static AllocationId id(int number) {
        return AllocationId.of("a-" + number);
    }

    private static void allocation(StateStore store, int number, AllocationStatus status) {
        TemplateNodes.apply(
                store,
                new AllocationCommand.UpsertAllocation(
                        id(number),
                        EngineRig.NAMESPACE,
                        EngineRig.node(number % EngineRig.NODES),
                        Optional.empty(),
                        status,
                        EngineRig.AT));
    }
}
