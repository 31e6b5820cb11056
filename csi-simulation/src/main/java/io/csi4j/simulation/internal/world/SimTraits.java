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
 * @param restores whether the state is restored from a backup. Such a seed compares with the provider, because only
 *     that finds attachments which are later than the backup. What a restored state cannot make good is left out:
 *     volumes and snapshots that are created or deleted by a request (claims make volumes from templates in a part of
 *     these seeds), expansions and modifications (the provider has their results, and the state of the backup has never
 *     requested them), overrides (the operator would have to repeat them),
 *     manual changes at the provider, and replaced machines (nobody knows what a former machine has mounted since the
 *     backup)
 */
public record SimTraits(
        boolean limits,
        boolean zones,
        boolean blocks,
        boolean reconciles,
        boolean snapshots,
        boolean rareScans,
        boolean replaces,
        boolean restores) {
    /**
     * Chooses the traits of a seed.
     *
     * @param restores whether the state is restored from a backup; chosen by other random numbers, so that the other
     *     choices of a seed do not depend on it
     */
    public static SimTraits of(SplittableRandom random, boolean restores) {
        SimTraits chosen = new SimTraits(
                oneInThree(random),
                oneInThree(random),
                oneInThree(random),
                oneInThree(random),
                oneInThree(random),
                random.nextBoolean(),
                oneInThree(random),
                restores);
        return restores ? chosen.restoring() : chosen;
    }

    /** Returns the same features in a cluster with zones. */
    SimTraits withZones() {
        return new SimTraits(limits, true, blocks, reconciles, snapshots, rareScans, replaces, restores);
    }

    private SimTraits restoring() {
        return new SimTraits(limits, zones, blocks, true, false, rareScans, false, true);
    }

    private static boolean oneInThree(SplittableRandom random) {
        return random.nextInt(3) == 0;
    }
}
