package io.csi4j.simulation;

import java.util.SplittableRandom;

/**
 * What a seed's world has that not all have.
 *
 * @param limits nodes take so many volumes and no more
 * @param zones not every volume can be reached from every node
 * @param blocks some volumes are used as block devices, or as either
 * @param reconciles the engine compares with what the provider lists, and repairs; somebody gives it cause
 * @param snapshots somebody has snapshots cut, of volumes and of groups of them
 * @param rareScans the engine's scan of all volumes comes too late to heal a wake-up that was lost
 */
record SimTraits(
        boolean limits, boolean zones, boolean blocks, boolean reconciles, boolean snapshots, boolean rareScans) {
    static SimTraits of(SplittableRandom random) {
        return new SimTraits(
                oneInThree(random),
                oneInThree(random),
                oneInThree(random),
                oneInThree(random),
                oneInThree(random),
                oneInThree(random));
    }

    private static boolean oneInThree(SplittableRandom random) {
        return random.nextInt(3) == 0;
    }
}
