package io.csi4j.client;

import java.util.concurrent.ThreadLocalRandom;
import java.util.random.RandomGenerator;

/** Where random numbers come from; the one place of this package that asks the system. */
final class Chance {
    private Chance() {}

    /** Random numbers for any thread. */
    static RandomGenerator system() {
        return () -> ThreadLocalRandom.current().nextLong();
    }
}
