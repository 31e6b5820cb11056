package io.csi4j.client.registry;

import io.csi4j.client.registry.instance.ConnectionOptions;
import io.csi4j.client.registry.instance.ExceededLimit;

/**
 * The conditions for a restart of a plugin's task; {@link ConnectionOptions} has the limits.
 *
 * @param afterStartUpLimit whether to restart a plugin that does not become ready in time
 * @param afterLivenessLimit whether to restart a plugin that was ready and has been unhealthy for too long; its mounts may not survive the
 *     restart
 */
public record RestartPolicy(boolean afterStartUpLimit, boolean afterLivenessLimit) {
    /**
     * Returns the default policy: a plugin that does not become ready in time is restarted, and a plugin that was ready is left to the
     * operator.
     */
    public static RestartPolicy ofDefaults() {
        return new RestartPolicy(true, false);
    }

    boolean advises(ExceededLimit limit) {
        return limit == ExceededLimit.START_UP ? afterStartUpLimit : afterLivenessLimit;
    }
}
