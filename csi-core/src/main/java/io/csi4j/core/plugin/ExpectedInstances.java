package io.csi4j.core.plugin;

/**
 * How many instances of a plugin a deployment is meant to run.
 *
 * @param controllers instances that serve the controller service
 * @param nodes instances that serve the node service
 */
public record ExpectedInstances(int controllers, int nodes) {
    /**
     * Checks the counts.
     *
     * @throws IllegalArgumentException if one is negative
     */
    public ExpectedInstances {
        if (controllers < 0 || nodes < 0) {
            throw new IllegalArgumentException("ExpectedInstances: controllers " + controllers + " and nodes " + nodes
                    + " must not be negative; use 0 for none");
        }
    }

    /**
     * Whether none are expected.
     *
     * @return true if both counts are 0
     */
    public boolean isNone() {
        return controllers == 0 && nodes == 0;
    }
}
