package io.csi4j.benchmarks.agent;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.function.ToDoubleFunction;

/** One way to the plugin, and what was measured of it. */
final class Way {
    /** One round: the median of calls one after another, and calls a second with many at a time. */
    record Round(double p50Micros, double callsPerSecond) {}

    private final String name;
    private final IntFunction<CompletableFuture<?>> call;
    private final List<Round> rounds = new ArrayList<>();

    /** {@code call} is asked with the number of a volume. */
    Way(String name, IntFunction<CompletableFuture<?>> call) {
        this.name = name;
        this.call = call;
    }

    String name() {
        return name;
    }

    /** Makes the calls, and as many again with so many in flight, each about a volume of its own. */
    Round measure(int calls, int inFlight) throws Exception {
        long[] nanos = new long[calls];
        for (int i = 0; i < calls; i++) {
            long begin = System.nanoTime();
            var unused = call.apply(i % inFlight).get();
            nanos[i] = System.nanoTime() - begin;
        }
        Arrays.sort(nanos);
        int many = calls * 4;
        AtomicInteger toBegin = new AtomicInteger(many);
        CountDownLatch finished = new CountDownLatch(many);
        long begin = System.nanoTime();
        for (int lane = 0; lane < inFlight; lane++) {
            next(lane, toBegin, finished);
        }
        finished.await();
        return new Round(nanos[calls / 2] / 1e3, many * 1e9 / (System.nanoTime() - begin));
    }

    private void next(int lane, AtomicInteger toBegin, CountDownLatch finished) {
        if (toBegin.getAndDecrement() > 0) {
            var unused = call.apply(lane).whenComplete((answer, failure) -> {
                if (failure != null) {
                    AgentBenchmark.stop(failure);
                }
                finished.countDown();
                next(lane, toBegin, finished);
            });
        }
    }

    void keep(Round round) {
        rounds.add(round);
    }

    double median(ToDoubleFunction<Round> figure) {
        return middle(rounds.stream().mapToDouble(figure).toArray());
    }

    /** Round by round, so that what troubles the machine for a while troubles both. */
    double medianRatio(Way base, ToDoubleFunction<Round> figure) {
        double[] ratios = new double[rounds.size()];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = figure.applyAsDouble(rounds.get(i)) / figure.applyAsDouble(base.rounds.get(i));
        }
        return middle(ratios);
    }

    private static double middle(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }
}
