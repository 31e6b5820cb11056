package io.csi4j.state.internal.tree;

import java.util.SplittableRandom;

/** Seeds for random tests. The seed of the build is fixed; {@code -Dcsi4j.seed=...} sets another one. */
public final class Seeds {
    private Seeds() {}

    public static SplittableRandom next(String test) {
        long seed = Long.getLong("csi4j.seed", 1);
        System.out.println(test + ": seed " + seed + " (-Dcsi4j.seed=" + seed + " repeats it)");
        return new SplittableRandom(seed);
    }
}
