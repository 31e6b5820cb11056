package io.csi4j.testkit.internal.store;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Marks the points at which tests kill the process: before and after each durable write and each action on the disk or
 * the mounts. With the system property {@code csi4j.fake.haltAtCheckpoint=N} the process halts at checkpoint N, for
 * tests.
 */
public final class Checkpoint {
    private static final int HALT_AT = Integer.getInteger("csi4j.fake.haltAtCheckpoint", 0);
    private static final AtomicInteger REACHED = new AtomicInteger();

    /** The action at a checkpoint; tests in this package replace it. */
    static volatile Runnable hook = HALT_AT > 0 ? Checkpoint::count : () -> {};

    private Checkpoint() {}

    public static void reached() {
        hook.run();
    }

    private static void count() {
        if (REACHED.incrementAndGet() == HALT_AT) {
            Runtime.getRuntime().halt(137);
        }
    }
}
