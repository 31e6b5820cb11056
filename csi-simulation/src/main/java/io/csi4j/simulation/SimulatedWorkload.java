package io.csi4j.simulation;

import io.csi4j.core.command.ClaimRequest;
import java.time.Duration;
import java.util.List;

/**
 * A workload of a simulation.
 *
 * @param claims the volumes that it claims together, one request for each mount; at least one
 * @param lifetime the virtual time from its start to its end
 */
public record SimulatedWorkload(List<ClaimRequest> claims, Duration lifetime) {
    /**
     * Checks the workload.
     *
     * @throws IllegalArgumentException if there is no claim, or the lifetime is not above zero
     */
    public SimulatedWorkload {
        claims = List.copyOf(claims);
        if (claims.isEmpty()) {
            throw new IllegalArgumentException("SimulatedWorkload: claims is empty; give at least one");
        }
        if (lifetime.isZero() || lifetime.isNegative()) {
            throw new IllegalArgumentException("SimulatedWorkload: lifetime is " + lifetime + "; use more than zero");
        }
    }
}
