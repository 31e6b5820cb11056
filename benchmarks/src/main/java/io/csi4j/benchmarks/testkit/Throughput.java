package io.csi4j.benchmarks.testkit;

import com.google.common.util.concurrent.FutureCallback;
import com.google.common.util.concurrent.Futures;
import com.google.common.util.concurrent.ListenableFuture;
import com.google.common.util.concurrent.MoreExecutors;
import io.csi4j.testkit.FakeCsiPlugin;
import io.csi4j.testkit.FakeStorage;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/** Compares the call rate of the fake plugin with that of a bare gRPC server, in alternating rounds. */
final class Throughput {
    private Throughput() {}

    static void compare(Path directory, int rounds, int calls) throws Exception {
        FakeStorage storage = FakeStorage.withoutFiles(1L << 40);
        for (int i = 0; i < StubCalls.VOLUMES; i++) {
            storage.provision(StubCalls.volume(i), 1 << 20);
        }
        try (BareServer bare = new BareServer(directory.resolve("bare.sock"));
                FakeCsiPlugin plugin = FakeCsiPlugin.builder()
                        .storage(storage)
                        .build()
                        .startOn("unix://" + directory.resolve("fake.sock"));
                StubCalls toBare = StubCalls.on(bare.endpoint());
                StubCalls toFake = StubCalls.on(plugin.endpoint())) {
            System.out.printf(
                    Locale.ROOT,
                    "calls of the fake beside a bare server with empty handlers: %d rounds in turn, %d calls each,%n"
                            + "%d in flight, client and servers in this process%n%n",
                    rounds,
                    calls,
                    StubCalls.VOLUMES);
            System.out.printf("%-34s %12s %12s %8s   %s%n", "", "bare /s", "fake /s", "ratio", "budget");
            row("Probe", rounds, calls, number -> toBare.probe(), number -> toFake.probe());
            row("ControllerPublishVolume, repeated", rounds, calls, toBare::publish, toFake::publish);
        }
    }

    private static void row(
            String name,
            int rounds,
            int calls,
            IntFunction<ListenableFuture<?>> bare,
            IntFunction<ListenableFuture<?>> fake)
            throws InterruptedException {
        double[] ratios = new double[rounds];
        double[] bareRates = new double[rounds];
        double[] fakeRates = new double[rounds];
        for (int round = -5; round < rounds; round++) {
            double fakeFirst = round % 2 == 0 ? rate(fake, calls) : 0;
            double bareRate = rate(bare, calls);
            double fakeRate = round % 2 == 0 ? fakeFirst : rate(fake, calls);
            if (round >= 0) {
                bareRates[round] = bareRate;
                fakeRates[round] = fakeRate;
                ratios[round] = fakeRate / bareRate;
            }
        }
        System.out.printf(
                Locale.ROOT,
                "%-34s %12.0f %12.0f %8.2f   0.80%n",
                name,
                median(bareRates),
                median(fakeRates),
                median(ratios));
    }

    private static double median(double[] values) {
        Arrays.sort(values);
        return values[values.length / 2];
    }

    /**
     * Makes {@code calls} calls with one call in flight for each volume; each answer starts the next call for its
     * volume. Returns the calls per second.
     */
    private static double rate(IntFunction<ListenableFuture<?>> call, int calls) throws InterruptedException {
        AtomicInteger remaining = new AtomicInteger(calls);
        CountDownLatch finished = new CountDownLatch(calls);
        long begin = System.nanoTime();
        for (int i = 0; i < StubCalls.VOLUMES; i++) {
            next(call, i, remaining, finished);
        }
        finished.await();
        return calls * 1e9 / (System.nanoTime() - begin);
    }

    private static void next(
            IntFunction<ListenableFuture<?>> call, int volume, AtomicInteger remaining, CountDownLatch finished) {
        if (remaining.getAndDecrement() > 0) {
            Futures.addCallback(
                    call.apply(volume),
                    new FutureCallback<Object>() {
                        @Override
                        public void onSuccess(@Nullable Object answer) {
                            finished.countDown();
                            next(call, volume, remaining, finished);
                        }

                        @Override
                        public void onFailure(Throwable failure) {
                            failure.printStackTrace();
                            System.exit(1);
                        }
                    },
                    MoreExecutors.directExecutor());
        }
    }
}
