package io.csi4j.benchmarks.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.ToDoubleFunction;

/** One of the compared routes from the caller to the plugin, with the results of all measured rounds on this route. */
final class CallRoute {
    /** The results of one round: the median latency of sequential calls, and the throughput of concurrent calls. */
    record Round(double p50Micros, double callsPerSecond) {}

    private final String name;
    private final IntFunction<CompletableFuture<?>> call;
    private final List<Round> rounds = new ArrayList<>();

    /** Creates a route. The argument of {@code call} is the number of a volume. */
    CallRoute(String name, IntFunction<CompletableFuture<?>> call) {
        this.name = name;
        this.call = call;
    }

    String name() {
        return name;
    }

    /**
     * Measures one round: first {@code calls} sequential calls, then four times as many concurrent calls. Up to {@code
     * inFlight} concurrent calls are in flight at a time, each for another volume.
     */
    Round measure(int calls, int inFlight) throws Exception {
        long[] nanos = new long[calls];
        for (int i = 0; i < calls; i++) {
            long begin = System.nanoTime();
            var unused = call.apply(i % inFlight).get();
            nanos[i] = System.nanoTime() - begin;
        }
        Arrays.sort(nanos);
        int concurrentCalls = calls * 4;
        AtomicInteger remaining = new AtomicInteger(concurrentCalls);
        CountDownLatch finished = new CountDownLatch(concurrentCalls);
        long begin = System.nanoTime();
        for (int volume = 0; volume < inFlight; volume++) {
            next(volume, remaining, finished);
        }
        finished.await();
        return new Round(nanos[calls / 2] / 1e3, concurrentCalls * 1e9 / (System.nanoTime() - begin));
    }

    private void next(int volume, AtomicInteger remaining, CountDownLatch finished) {
        if (remaining.getAndDecrement() > 0) {
            var unused = call.apply(volume).whenComplete((answer, failure) -> {
                if (failure != null) {
                    AgentBenchmark.stop(failure);
                }
                finished.countDown();
                next(volume, remaining, finished);
            });
        }
    }

    void add(Round round) {
        rounds.add(round);
    }

    double median(ToDoubleFunction<Round> metric) {
        return median(rounds.stream().mapToDouble(metric).toArray());
    }

    /**
     * Divides the measurement of this route by that of {@code base} in each round, and returns the median of these
     * ratios. A disturbance of the machine affects both routes of a round, so it changes the ratio little.
     */
    double medianRatio(CallRoute base, ToDoubleFunction<Round> metric) {
        double[] ratios = new double[rounds.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = metric.applyAsDouble(rounds.get(i)) / metric.applyAsDouble(base.rounds.get(i));
        }
        return median(ratios);
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
