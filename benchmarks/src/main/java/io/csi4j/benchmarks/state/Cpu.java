package io.csi4j.benchmarks.state;

import java.lang.management.ManagementFactory;
import java.lang.management.MemoryMXBean;
import java.lang.management.ThreadMXBean;
import java.util.Arrays;
import java.util.function.LongSupplier;

/**
 * Measures CPU time instead of elapsed time, because the machine may be busy. The best round counts, because disturbances
 * only add time.
 */
final class Cpu {
    private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();
    private static final com.sun.management.OperatingSystemMXBean PROCESS =
            (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();

    private Cpu() {}

    /** Returns the CPU time of this thread in nanoseconds: exact, but without the CPU time of garbage collection. */
    static long now() {
        return THREADS.getCurrentThreadCpuTime();
    }

    /** Returns the CPU time of the whole process in nanoseconds, with garbage collection; exact to 10 ms. */
    static long process() {
        return PROCESS.getProcessCpuTime();
    }

    /** Returns the nanoseconds for each operation of {@code work}, which returns the number of operations. */
    static double each(LongSupplier work) {
        long start = now();
        long count = work.getAsLong();
        return (double) (now() - start) / count;
    }

    static double best(double[] rounds) {
        return Arrays.stream(rounds).min().orElse(Double.NaN);
    }

    /** Returns the bytes of the heap that are in use after several garbage collections. */
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
