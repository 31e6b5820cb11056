package io.csi4j.benchmarks.state;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Measures CPU time, not the clock on the wall: the machine may be busy with other things. The best round counts:
 * whatever disturbs a round makes it slower.
 */
final class Cpu {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final com.sun.management.OperatingSystemMXBean PROCESS =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private Cpu() {}

    /** CPU time of this thread: exact, but without the collector's work. */
    static long now() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** CPU time of the whole process, with the collector's work and the compiler's; in steps of 10 ms. */
    static long process() {
        return PROCESS.getProcessCpuTime();
    }

    /** Nanoseconds an operation takes; the work answers how many operations it did. */
    static double each(LongSupplier work) {
        long start = now();
        long count = work.getAsLong();
        return (double) (now() - start) / count;
    }

    static double best(double[] rounds) {
        return Arrays.stream(rounds).min().orElse(Double.NaN);
    }

    /** Bytes in use after everything that can be collected was. */
    static long heap() {
        MemoryMXBean memory = ManagementFactory.getMemoryMXBean();
        long used = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            memory.gc();
            used = Math.min(used, memory.getHeapMemoryUsage().getUsed());
        }
        return used;
    }
}
