package io.csi4j.simulation.internal.world;

import java.util.SplittableRandom;

/**
 * The features of a simulation that only some seeds have.
 *
 * @param limits nodes have volume limits
 * @param zones some volumes can be reached from some nodes only
 * @param blocks some volumes are used as block devices, or once as a device and once as a file system
 * @param reconciles the engine reconciles with the provider's listing, and volumes are attached and detached manually
 * @param snapshots snapshots of volumes and of groups are created
 * @param rareScans the engine scans all volumes too rarely to repair a lost wake-up
 */
public record SimTraits(
        boolean limits, boolean zones, boolean blocks, boolean reconciles, boolean snapshots, boolean rareScans) {
    public static SimTraits of(SplittableRandom random) {
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
