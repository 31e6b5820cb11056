package io.csi4j.benchmarks.client;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;

/** Drives a {@link CallLoop} and measures it. */
final class Load {
    /** One round of calls. */
    record Round(double p50Micros, double p99Micros, double callsPerSecond, double bytesPerCall) {}

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Load() {}

    /** One call after the other. */
    static Round sequential(CallLoop caller, int calls) throws Exception {
        long[] nanos = new long[calls];
        long allocated = allocatedBytes();
        long begin = System.nanoTime();
        for (int i = 0; i < calls; i++) {
            long start = System.nanoTime();
            caller.callAndWait();
            nanos[i] = System.nanoTime() - start;
        }
        long took = System.nanoTime() - begin;
        allocated = allocatedBytes() - allocated;
        Arrays.sort(nanos);
        return new Round(
                nanos[calls / 2] / 1e3,
                nanos[calls - 1 - calls / 100] / 1e3,
                calls * 1e9 / took,
                (double) allocated / calls);
    }

    /** So many calls at a time; each answer begins the next call. */
    static Round concurrent(CallLoop caller, int calls, int inFlight) throws InterruptedException {
        AtomicInteger toBegin = new AtomicInteger(calls);
        CountDownLatch finished = new CountDownLatch(calls);
        long allocated = allocatedBytes();
        long begin = System.nanoTime();
        for (int i = 0; i < inFlight; i++) {
            beginNext(caller, i, toBegin, finished);
        }
        finished.await();
        long took = System.nanoTime() - begin;
        allocated = allocatedBytes() - allocated;
        return new Round(Double.NaN, Double.NaN, calls * 1e9 / took, (double) allocated / calls);
    }

    private static void beginNext(CallLoop caller, int volume, AtomicInteger toBegin, CountDownLatch finished) {
        if (toBegin.getAndDecrement() > 0) {
            caller.begin(volume, () -> {
                finished.countDown();
                beginNext(caller, volume, toBegin, finished);
            });
        }
    }

    /** What all live threads have allocated so far. */
    private static long allocatedBytes() {
        long sum = 0;
        for (long bytes : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
            sum += Math.max(bytes, 0);
        }
        return sum;
    }
}
