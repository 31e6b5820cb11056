package io.csi4j.state.internal.tree;

import java.util.SplittableRandom;

/** Seeds for random tests: new each time, printed, and given again with {@code -Dcsi4j.seed=...}. */
public final class Seeds {
    private Seeds() {}

    public static SplittableRandom next(String test) {
        long seed = Long.getLong("csi4j.seed", System.nanoTime());
        System.out.println(test + ": seed " + seed + " (run it again with -Dcsi4j.seed=" + seed + ")");
        return new SplittableRandom(seed);
    }
}
