package io.csi4j.benchmarks.client;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Makes calls with a {@link CallLoop} and measures them. */
final class Load {
    /** The measurements of one round. */
    record Round(double p50Micros, double p99Micros, double callsPerSecond, double bytesPerCall) {}

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Load() {}

    /** Makes one call after the other and measures the round. */
    static Round sequential(CallLoop callLoop, int calls) throws Exception {
        long[] nanos = new long[calls];
        long allocated = allocatedBytes();
        long begin = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            long start = System.nanoTime();
            callLoop.callAndWait();
            nanos[i] = System.nanoTime() - start;
        }
        long nanosTaken = System.nanoTime() - begin;
        allocated = allocatedBytes() - allocated;
        Arrays.sort(nanos);
        return new Round(
                nanos[calls / 2] / 1e3,
                nanos[calls - 1 - calls / 100] / 1e3,
                calls * 1e9 / nanosTaken,
                (double) allocated / calls);
    }

    /**
     * Measures one round of concurrent calls: {@code inFlight} calls are in flight at a time, and each response starts
     * the next call.
     */
    static Round concurrent(CallLoop callLoop, int calls, int inFlight) throws InterruptedException {
        AtomicInteger remaining = new AtomicInteger(calls);
        CountDownLatch finished = new CountDownLatch(calls);
        long allocated = allocatedBytes();
        long begin = System.nanoTime();
        for (int i = 0; i < inFlight; i++) {
            beginNext(callLoop, i, remaining, finished);
        }
        finished.await();
        long nanosTaken = System.nanoTime() - begin;
        allocated = allocatedBytes() - allocated;
        return new Round(Double.NaN, Double.NaN, calls * 1e9 / nanosTaken, (double) allocated / calls);
    }

    private static void beginNext(CallLoop callLoop, int volume, AtomicInteger remaining, CountDownLatch finished) {
        if (remaining.getAndDecrement() > 0) {
            callLoop.begin(volume, () -> {
                finished.countDown();
                beginNext(callLoop, volume, remaining, finished);
            });
        }
    }

    /** Returns the number of bytes that all live threads have allocated so far. */
    private static long allocatedBytes() {
        long sum = 0;
        for (long bytes : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
            sum += Math.max(bytes, 0);
        }
        return sum;
    }
}
