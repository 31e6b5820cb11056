package io.csi4j.benchmarks.client;

import io.csi4j.benchmarks.client.Load.Round;
import io.csi4j.client.CsiClient;
import io.csi4j.client.retry.RetryOptions;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/**
 * The typed client beside raw generated stubs: same channel settings, same server, one run, rounds in
 * turn. Prints medians over the rounds, and the ratios round by round.
 */
public final class ClientBenchmark {
    private static final int IN_FLIGHT = Wire.VOLUMES;

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
        try (ServerProcess server = ServerProcess.start(socket);
                CallLoop future = new RawFutureStub(Wire.channel(socket.toString(), Wire.loop("future")));
                CallLoop blocking = new RawBlockingStub(Wire.channel(socket.toString(), Wire.loop("blocking")));
                CsiClient client = CsiClient.connect(server.endpoint())) {
            CallLoop typed = new TypedClient("csi4j client", client);
            CallLoop once = new TypedClient("csi4j client, no retries", client.withRetries(RetryOptions.none()));
            compare(List.of(future, blocking, typed, once), rounds, calls);
        } finally {
            Files.deleteIfExists(socket);
            Files.deleteIfExists(directory);
        }
        System.exit(0);
    }

    private static int option(String[] arguments, String name, int otherwise) {
        for (int i = 0; i + 1 < arguments.length; i++) {
            if (arguments[i].equals(name)) {
                return Integer.parseInt(arguments[i + 1]);
            }
        }
        return otherwise;
    }

    private static void compare(List<CallLoop> callers, int rounds, int calls) throws Exception {
        List<List<Round>> sequential = new ArrayList<>();
        List<List<Round>> concurrent = new ArrayList<>();
        for (CallLoop caller : callers) {
            sequential.add(new ArrayList<>());
            concurrent.add(new ArrayList<>());
            for (int warmUp = 0; warmUp < 4; warmUp++) {
                Load.sequential(caller, calls);
                if (caller.asynchronous()) {
                    Load.concurrent(caller, calls * 4, IN_FLIGHT);
                }
            }
        }
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < callers.size(); i++) {
                // Each round begins with another one, so that none always follows the same neighbour.
                int at = (i + round) % callers.size();
                CallLoop caller = callers.get(at);
                sequential.get(at).add(Load.sequential(caller, calls));
                if (caller.asynchronous()) {
                    concurrent.get(at).add(Load.concurrent(caller, calls * 4, IN_FLIGHT));
                }
            }
        }
        System.out.printf(
                "%d rounds in turn, %d calls each; ControllerPublishVolume; server in its own process%n%n",
                rounds, calls);
        table("one call at a time", callers, sequential);
        table(IN_FLIGHT + " calls in flight, each for another volume", callers, concurrent);
    }

    private static void table(String title, List<CallLoop> callers, List<List<Round>> results) {
        System.out.printf(
                "%-26s %10s %10s %12s %12s %14s %18s%n",
                title, "p50 us", "p99 us", "calls/s", "bytes/call", "p50 / future", "calls/s / future");
        List<Round> base = results.get(0);
        for (int i = 0; i < callers.size(); i++) {
            List<Round> rounds = results.get(i);
            if (!rounds.isEmpty()) {
                System.out.printf(
                        "%-26s %10s %10s %12s %12s %14s %18s%n",
                        callers.get(i).name(),
                        figure("%.1f", median(rounds, Round::p50Micros)),
                        figure("%.1f", median(rounds, Round::p99Micros)),
                        figure("%.0f", median(rounds, Round::callsPerSecond)),
                        figure("%.0f", median(rounds, Round::bytesPerCall)),
                        figure("%.3f", medianRatio(rounds, base, Round::p50Micros)),
                        figure("%.3f", medianRatio(rounds, base, Round::callsPerSecond)));
            }
        }
        System.out.println();
    }

    /** Latency is not measured where each answer begins the next call. */
    private static String figure(String format, double value) {
        return Double.isNaN(value) ? "-" : String.format(Locale.ROOT, format, value);
    }

    private static double median(List<Round> rounds, ToDoubleFunction<Round> figure) {
        double[] sorted = rounds.stream().mapToDouble(figure).sorted().toArray();
        return sorted[sorted.length / 2];
    }

    private static double medianRatio(List<Round> rounds, List<Round> base, ToDoubleFunction<Round> figure) {
        double[] ratios = new double[rounds.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = figure.applyAsDouble(rounds.get(i)) / figure.applyAsDouble(base.get(i));
        }
        Arrays.sort(ratios);
        return ratios[ratios.length / 2];
    }

    /** Ends the program: a figure with failed calls in it would be worth nothing. */
    static void stop(Throwable failure) {
        failure.printStackTrace();
        System.exit(1);
    }
}
