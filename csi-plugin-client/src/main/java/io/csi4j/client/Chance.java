package io.csi4j.client;

import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** The source of random numbers for this package. */
final class Chance {
    private Chance() {}

    /** Returns a thread-safe source. */
    static RandomGenerator system() {
        return () -> ThreadLocalRandom.current().nextLong();
    }
}
