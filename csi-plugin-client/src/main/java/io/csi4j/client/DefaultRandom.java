package io.csi4j.client;

import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** The random numbers of clients without an environment. */
final class DefaultRandom {
    private DefaultRandom() {}

    /** Returns a thread-safe random generator. */
    static RandomGenerator system() {
        return () -> ThreadLocalRandom.current().nextLong();
    }
}
