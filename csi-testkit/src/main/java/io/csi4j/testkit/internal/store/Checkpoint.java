package io.csi4j.testkit.internal.store;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The points at which a kill is most telling: around each durable write and each effect. With the system property
 * {@code csi4j.fake.haltAtCheckpoint=N} the process dies at the N-th one, without any clean-up; it exists for the tests.
 */
public final class Checkpoint {
    private static final int HALT_AT = Integer.getInteger("csi4j.fake.haltAtCheckpoint", 0);
    private static final AtomicInteger REACHED = new AtomicInteger();

    private Checkpoint() {}

    /** Marks a point. */
    public static void reached() {
        if (HALT_AT > 0 && REACHED.incrementAndGet() == HALT_AT) {
            Runtime.getRuntime().halt(137);
        }
    }
}
