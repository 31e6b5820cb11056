package io.csi4j.core.csi;

import java.util.Objects;

/**
 * One row of usage (R92).
 *
 * @param available free, in the unit
 * @param total all, in the unit
 * @param used used, in the unit
 * @param unit what is counted
 */
public record VolumeUsage(long available, long total, long used, VolumeUsageUnit unit) {
    /** Checks that all parts are there and copies collections. */
    public VolumeUsage {
        Objects.requireNonNull(unit, "unit");
    }
}
