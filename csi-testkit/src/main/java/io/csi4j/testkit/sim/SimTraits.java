package io.csi4j.testkit.sim;

import java.util.SplittableRandom;

/**
 * What a seed's world has that not all have.
 *
 * @param limits nodes take so many volumes and no more
 */
record SimTraits(boolean limits) {
    static SimTraits of(SplittableRandom random) {
        return new SimTraits(random.nextInt(3) == 0);
    }
}
