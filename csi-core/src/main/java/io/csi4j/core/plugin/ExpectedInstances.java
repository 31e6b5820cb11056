package io.csi4j.core.plugin;

/**
 * The number of instances of a plugin that a deployment is meant to run.
 *
 * @param controllers the number of instances that serve the controller service
 * @param nodes the number of instances that serve the node service
 */
public record ExpectedInstances(int controllers, int nodes) {
    /** @throws IllegalArgumentException if a count is negative */
    public ExpectedInstances {
        if (controllers < 0 || nodes < 0) {
            throw new IllegalArgumentException("ExpectedInstances: controllers " + controllers + " and nodes " + nodes
                    + " must not be negative; use 0 for none");
        }
    }

    /** Returns whether both counts are 0. */
    public boolean isNone() {
        return controllers == 0 && nodes == 0;
    }
}
