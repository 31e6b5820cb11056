package io.csi4j.core.csi;

import java.util.Objects;

/**
 * The usage of a volume in bytes or in inodes (R92).
 *
 * @param available the free amount
 * @param total the total amount
 * @param used the used amount
 * @param unit the unit of the three amounts
 */
public record VolumeUsage(long available, long total, long used, VolumeUsageUnit unit) {
    public VolumeUsage {
        Objects.requireNonNull(unit, "unit");
    }
}
