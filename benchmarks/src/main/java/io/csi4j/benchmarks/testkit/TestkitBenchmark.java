package io.csi4j.benchmarks.testkit;

import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.FakeStorage;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * Measures the time to start and stop a fake plugin, the cost of many fake plugins that run at the same time, and the
 * call rate of a fake plugin compared with a bare gRPC server.
 */
public final class TestkitBenchmark {
    private static final int WARM_UP = 300;

    private TestkitBenchmark() {}

    /**
     * Runs the benchmark.
     *
     * @param arguments {@code --rounds N}, {@code --calls N} and {@code --fakes N}, all optional
     * @throws Exception if a plugin cannot be started or a call fails
     */
    public static void main(String[] arguments) throws Exception {
        Path directory = Files.createTempDirectory("csi4j-bench");
        try {
            startAndStop(directory, option(arguments, "--rounds", 300));
            sideBySide(directory, option(arguments, "--fakes", 1_000));
            Throughput.compare(directory, 15, option(arguments, "--calls", 20_000));
        } finally {
            Files.deleteIfExists(directory);
        }
        System.exit(0);
    }

    private static int option(String[] arguments, String name, int defaultValue) {
        for (int i = 0; i + 1 < arguments.length; i++) {
            if (arguments[i].equals(name)) {
                return Integer.parseInt(arguments[i + 1]);
            }
        }
        return defaultValue;
    }

    private static void startAndStop(Path directory, int rounds) throws Exception {
        System.out.printf(
                Locale.ROOT, "%d starts and stops after %d to warm up, each with a call%n%n", rounds, WARM_UP);
        System.out.printf("%-22s %10s %10s %10s   %s%n", "", "p50 ms", "p99 ms", "max ms", "budget");
        for (boolean socket : new boolean[] {true, false}) {
            double[] starts = new double[rounds];
            double[] stops = new double[rounds];
            for (int round = -WARM_UP; round < rounds; round++) {
                long begin = System.nanoTime();
                FakeCsiPlugin plugin = FakeCsiPlugin.builder().build();
                if (socket) {
                    plugin.startOn("unix://" + directory.resolve("p.sock"));
                } else {
                    plugin.startInProcess();
                }
                long started = System.nanoTime();
                try (StubCalls calls =
                        socket ? StubCalls.on(plugin.endpoint()) : StubCalls.inProcess(plugin.inProcessName())) {
                    calls.probe().get();
                    long stopping = System.nanoTime();
                    plugin.close();
                    long stopped = System.nanoTime();
                    if (round >= 0) {
                        starts[round] = (started - begin) / 1e6;
                        stops[round] = (stopped - stopping) / 1e6;
                    }
                }
            }
            String way = socket ? "on a Unix socket" : "in process";
            String budget = socket ? "15 ms" : "1 ms";
            row("start " + way, starts, budget);
            row("stop " + way, stops, budget);
        }
        System.out.println();
    }

    private static void row(String name, double[] millis, String budget) {
        Arrays.sort(millis);
        System.out.printf(
                Locale.ROOT,
                "%-22s %10.2f %10.2f %10.2f   %s%n",
                name,
                millis[millis.length / 2],
                millis[millis.length - 1 - millis.length / 100],
                millis[millis.length - 1],
                budget);
    }

    private static void sideBySide(Path directory, int fakes) throws Exception {
        List<FakeCsiPlugin> plugins = new ArrayList<>();
        List<StubCalls> callers = new ArrayList<>();
        long heap = usedHeap();
        int threads = Thread.activeCount();
        long begin = System.nanoTime();
        try {
            for (int i = 0; i < fakes; i++) {
                plugins.add(FakeCsiPlugin.builder()
                        .storage(FakeStorage.inMemory())
                        .build()
                        .startOn("unix://" + directory.resolve("p" + i + ".sock")));
            }
            for (FakeCsiPlugin plugin : plugins) {
                StubCalls calls = StubCalls.on(plugin.endpoint());
                callers.add(calls);
                calls.probe().get();
            }
            double seconds = (System.nanoTime() - begin) / 1e9;
            System.out.printf(
                    Locale.ROOT,
                    "%d fakes side by side, each on its socket and called: %.2f s, %.0f KiB of heap each with their"
                            + " clients, %d threads more%n%n",
                    fakes,
                    seconds,
                    (usedHeap() - heap) / 1024.0 / fakes,
                    Thread.activeCount() - threads);
        } finally {
            callers.forEach(StubCalls::close);
            plugins.forEach(FakeCsiPlugin::close);
        }
    }

    private static long usedHeap() {
        Runtime runtime = Runtime.getRuntime();
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return runtime.totalMemory() - runtime.freeMemory();
    }
}
