package io.csi4j.agent;

import java.util.random.RandomGenerator;

/** A generator for several threads, made of one that is for one. */
final class SharedRandom implements RandomGenerator {
    private final RandomGenerator from;

    SharedRandom(RandomGenerator from) {
        this.from = from;
    }

    @Override
    public synchronized long nextLong() {
        return from.nextLong();
    }
}
