package io.csi4j.core.volume;

/**
 * Counts the claims in a collection by several criteria. Each change of the collection updates the counts.
 *
 * @param readers the number of claims that only read
 * @param writers the number of claims that write
 * @param taken the number of claims in the state TAKEN
 * @param unpublishing the number of claims in the state UNPUBLISHING
 * @param nodeDetached the number of claims in the state NODE_DETACHED
 * @param readyToFree the number of claims in the state READY_TO_FREE
 * @param onNode the number of claims for which the volume may still be mounted or staged on the node
 * @param withMountOptions the number of claims with mount options of their own
 * @param takenOver the number of claims that were taken over from a forgotten volume
 * @param adopted the number of claims that were made of what a node has mounted
 */
record Tally(
        int readers,
        int writers,
        int taken,
        int unpublishing,
        int nodeDetached,
        int readyToFree,
        int onNode,
        int withMountOptions,
        int takenOver,
        int adopted) {
    static final Tally ZERO = new Tally(0, 0, 0, 0, 0, 0, 0, 0, 0, 0);

    Tally plus(Claim claim) {
        return add(claim, 1);
    }

    Tally minus(Claim claim) {
        return add(claim, -1);
    }

    private Tally add(Claim claim, int sign) {
        boolean writes = claim.mode() == ClaimMode.WRITE;
        return new Tally(
                readers + (writes ? 0 : sign),
                writers + (writes ? sign : 0),
                taken + (claim.state() == ClaimState.TAKEN ? sign : 0),
                unpublishing + (claim.state() == ClaimState.UNPUBLISHING ? sign : 0),
                nodeDetached + (claim.state() == ClaimState.NODE_DETACHED ? sign : 0),
                readyToFree + (claim.state() == ClaimState.READY_TO_FREE ? sign : 0),
                onNode + (claim.nodeDetached() ? 0 : sign),
                withMountOptions + (claim.mountOptions().isEmpty() ? 0 : sign),
                takenOver + (claim.formerVolume().isPresent() ? sign : 0),
                adopted + (claim.adopted() ? sign : 0));
    }

    int in(ClaimState state) {
        return switch (state) {
            case TAKEN -> taken;
            case UNPUBLISHING -> unpublishing;
            case NODE_DETACHED -> nodeDetached;
            case READY_TO_FREE -> readyToFree;
        };
    }
}
