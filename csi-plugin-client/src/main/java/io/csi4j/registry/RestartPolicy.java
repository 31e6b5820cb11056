package io.csi4j.registry;

import io.csi4j.registry.instance.ConnectionOptions;
import io.csi4j.registry.instance.ExceededLimit;

/**
 * When a plugin's task should be started anew. How long the limits are, {@link ConnectionOptions} says.
 *
 * @param afterStartUpLimit if it does not become ready in time
 * @param afterLivenessLimit if it was ready and has been unwell for too long. Its mounts may not survive a restart,
 *     so this is a choice
 */
public record RestartPolicy(boolean afterStartUpLimit, boolean afterLivenessLimit) {
    /**
     * A plugin that does not start is started anew; one that was ready is left to its operator.
     *
     * @return the usual policy
     */
    public static RestartPolicy ofDefaults() {
        return new RestartPolicy(true, false);
    }

    boolean advises(ExceededLimit limit) {
        return limit == ExceededLimit.START_UP ? afterStartUpLimit : afterLivenessLimit;
    }
}
