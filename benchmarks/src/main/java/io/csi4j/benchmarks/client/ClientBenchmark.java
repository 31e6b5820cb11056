package io.csi4j.benchmarks.client;

import io.csi4j.benchmarks.client.Load.Round;
import io.csi4j.client.CsiClient;
import io.csi4j.client.retry.RetryOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;

/**
 * Compares the csi4j client with the stubs that gRPC generates. All clients use the same channel settings and the same
 * server, and take turns in each round. Prints the median of each client over all rounds, and the median of the ratios
 * between the clients.
 */
public final class ClientBenchmark {
    private static final int IN_FLIGHT = Wire.VOLUMES;

    /** The number of rounds that are not measured. Before, the JVM compiles code on the processors that the calls need. */
    private static final int WARM_UP_ROUNDS = 20;

    private ClientBenchmark() {}

    /**
     * Runs the comparison.
     *
     * @param arguments {@code --rounds N} and {@code --calls N}, both optional
     * @throws Exception if the server cannot be started or a call fails
     */
    public static void main(String[] arguments) throws Exception {
        int rounds = option(arguments, "--rounds", 15);
        int calls = option(arguments, "--calls", 5_000);
        Path directory = Files.createTempDirectory("csi4j-bench");
        Path socket = directory.resolve("csi.sock");
        try (BareServerProcess server = BareServerProcess.start(socket);
                CallLoop future = new RawFutureStub(Wire.channel(socket.toString(), Wire.loop("future")));
                CallLoop blocking = new RawBlockingStub(Wire.channel(socket.toString(), Wire.loop("blocking")));
                CsiClient client = CsiClient.connect(server.endpoint());
                CsiClient other = CsiClient.connect(server.endpoint())) {
            CallLoop typed = new TypedClient("csi4j client", client);
            // Has a connection of its own, like each of the other three.
            CallLoop withoutRetries =
                    new TypedClient("csi4j client, no retries", other.withRetries(RetryOptions.none()));
            compare(List.of(future, blocking, typed, withoutRetries), rounds, calls);
        } finally {
            Files.deleteIfExists(socket);
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

    private static void compare(List<CallLoop> callLoops, int rounds, int calls) throws Exception {
        List<List<Round>> sequential = new ArrayList<>();
        List<List<Round>> concurrent = new ArrayList<>();
        for (int client = 0; client < callLoops.size(); client++) {
            sequential.add(new ArrayList<>());
            concurrent.add(new ArrayList<>());
        }
        for (int warmUp = 0; warmUp < WARM_UP_ROUNDS; warmUp++) {
            for (CallLoop callLoop : callLoops) {
                Load.sequential(callLoop, calls);
                if (callLoop.asynchronous()) {
                    Load.concurrent(callLoop, calls * 4, IN_FLIGHT);
                }
            }
        }
        List<Integer> order =
                new ArrayList<>(IntStream.range(0, callLoops.size()).boxed().toList());
        Random random = new Random(1);
        for (int round = 0; round < rounds; round++) {
            // Each round has another order of the clients, because a client is slower after some of the others.
            Collections.shuffle(order, random);
            for (int index : order) {
                CallLoop callLoop = callLoops.get(index);
                sequential.get(index).add(Load.sequential(callLoop, calls));
                if (callLoop.asynchronous()) {
                    concurrent.get(index).add(Load.concurrent(callLoop, calls * 4, IN_FLIGHT));
                }
            }
        }
        System.out.printf(
                "%d interleaved rounds, %d calls each; ControllerPublishVolume; server in its own process%n%n",
                rounds, calls);
        table("one call at a time", callLoops, sequential);
        table(IN_FLIGHT + " calls in flight, each for another volume", callLoops, concurrent);
    }

    private static void table(String title, List<CallLoop> callLoops, List<List<Round>> results) {
        System.out.printf(
                "%-26s %10s %10s %12s %12s %14s %18s%n",
                title, "p50 us", "p99 us", "calls/s", "bytes/call", "p50 / future", "calls/s / future");
        List<Round> base = results.get(0);
        for (int i = 0; i < callLoops.size(); i++) {
            List<Round> rounds = results.get(i);
            if (!rounds.isEmpty()) {
                System.out.printf(
                        "%-26s %10s %10s %12s %12s %14s %18s%n",
                        callLoops.get(i).name(),
                        format("%.1f", median(rounds, Round::p50Micros)),
                        format("%.1f", median(rounds, Round::p99Micros)),
                        format("%.0f", median(rounds, Round::callsPerSecond)),
                        format("%.0f", median(rounds, Round::bytesPerCall)),
                        format("%.3f", medianRatio(rounds, base, Round::p50Micros)),
                        format("%.3f", medianRatio(rounds, base, Round::callsPerSecond)));
            }
        }
        System.out.println();
    }

    /** Prints a dash for values that are not measured, such as the latency of concurrent calls. */
    private static String format(String format, double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, format, value);
    }

    private static double median(List<Round> rounds, ToDoubleFunction<Round> metric) {
        double[] sorted = rounds.stream().mapToDouble(metric).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    private static double medianRatio(List<Round> rounds, List<Round> base, ToDoubleFunction<Round> metric) {
        double[] ratios = new double[rounds.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = metric.applyAsDouble(rounds.get(i)) / metric.applyAsDouble(base.get(i));
        }
        Arrays.sort(ratios);
        return ratios[ratios.length / 2];
    }

    /** Ends the program, because a measurement with failed calls is worthless. */
    static void stop(Throwable failure) {
        failure.printStackTrace();
        System.exit(1);
    }
}
