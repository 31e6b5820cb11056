package io.csi4j.benchmarks.admin;

import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;

/** The memory of this process: the heap after a collection, and the buffers outside it. */
final class Memory {
    private Memory() {}

    /** Returns the used bytes. */
    static long used() {
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        Runtime runtime = Runtime.getRuntime();
        return runtime.totalMemory()
                - runtime.freeMemory()
                + ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class).stream()
                        .mapToLong(BufferPoolMXBean::getMemoryUsed)
                        .sum();
    }

    /** Returns the used bytes when they do not change any more. */
    static long settled() {
        long before = 0;
        long now = used();
        while (Math.abs(now - before) > 100_000) {
            before = now;
            now = used();
        }
        return now;
    }
}
