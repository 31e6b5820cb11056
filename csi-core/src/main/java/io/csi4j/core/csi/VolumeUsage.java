package io.csi4j.core.csi;

import java.util.Objects;

/**
 * The usage of a volume in one unit (R92).
 *
 * @param available the free amount, in the unit
 * @param total the total amount, in the unit
 * @param used the used amount, in the unit
 * @param unit bytes or inodes
 */
public record VolumeUsage(long available, long total, long used, VolumeUsageUnit unit) {
    public VolumeUsage {
        Objects.requireNonNull(unit, "unit");
    }
}
