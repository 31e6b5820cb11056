package io.csi4j.state.internal.tree;

import java.util.SplittableRandom;

/** Seeds for random tests. Each run has a new seed, which is printed; {@code -Dcsi4j.seed=...} repeats a seed. */
public final class Seeds {
    private Seeds() {}

    public static SplittableRandom next(String test) {
        long seed = Long.getLong("csi4j.seed", System.nanoTime());
        System.out.println(test + ": seed " + seed + " (run it again with -Dcsi4j.seed=" + seed + ")");
        return new SplittableRandom(seed);
    }
}
