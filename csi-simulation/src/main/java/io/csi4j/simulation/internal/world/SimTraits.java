package io.csi4j.simulation.internal.world;

import java.util.SplittableRandom;

/**
 * The features of a simulation that only some seeds have.
 *
 * @param limits whether nodes have volume limits
 * @param zones whether some volumes can be reached from some nodes only
 * @param blocks whether some volumes are used as block devices, or at one time as a device and at another as a file
 *     system
 * @param reconciles whether the engine reconciles with the provider's listing, and volumes are attached and detached
 *     manually
 * @param snapshots whether snapshots of volumes and of groups are created
 * @param rareScans whether the engine scans all volumes so rarely that a scan cannot repair a lost wake-up; half of the
 *     seeds
 * @param replaces whether machines are replaced by others that register under their node ids
 */
public record SimTraits(
        boolean limits,
        boolean zones,
        boolean blocks,
        boolean reconciles,
        boolean snapshots,
        boolean rareScans,
        boolean replaces) {
    public static SimTraits of(SplittableRandom random) {
        return new SimTraits(
                oneInThree(random),
                oneInThree(random),
                oneInThree(random),
                oneInThree(random),
                oneInThree(random),
                random.nextBoolean(),
                oneInThree(random));
    }

    private static boolean oneInThree(SplittableRandom random) {
        return random.nextInt(3) == 0;
    }
}
