package io.csi4j.testkit.sim;

import java.util.SplittableRandom;

/**
 * What a seed's world has that not all have.
 *
 * @param limits nodes take so many volumes and no more
 * @param zones not every volume can be reached from every node
 * @param blocks some volumes are used as block devices, or as either
 */
record SimTraits(boolean limits, boolean zones, boolean blocks) {
    static SimTraits of(SplittableRandom random) {
        return new SimTraits(random.nextInt(3) == 0, random.nextInt(3) == 0, random.nextInt(3) == 0);
    }
}
