package io.csi4j.core.csi;

/**
 * The requested size of a volume.
 *
 * @param requiredBytes the smallest permitted size in bytes; 0 for no lower bound
 * @param limitBytes the largest permitted size in bytes; 0 for no upper bound
 */
public record CapacityRange(long requiredBytes, long limitBytes) {
    /**
     * Checks that the bounds are valid (R23) and permit at least one size.
     *
     * @throws IllegalArgumentException if a bound is negative, both are 0, or the limit is below the required size
     */
    public CapacityRange {
        if (requiredBytes < 0 || limitBytes < 0) {
            throw new IllegalArgumentException("CapacityRange: requiredBytes " + requiredBytes + " and limitBytes "
                    + limitBytes + " must not be negative; use 0 for a bound that is not given");
        }
        if (requiredBytes == 0 && limitBytes == 0) {
            throw new IllegalArgumentException(
                    "CapacityRange: neither requiredBytes nor limitBytes is given; give one, or leave the range out");
        }
        if (limitBytes != 0 && limitBytes < requiredBytes) {
            throw new IllegalArgumentException("CapacityRange: limitBytes " + limitBytes + " is below requiredBytes "
                    + requiredBytes + "; raise the limit or lower what is required");
        }
    }

    /**
     * Returns a range without an upper bound.
     *
     * @param requiredBytes the smallest permitted size in bytes, above 0
     * @throws IllegalArgumentException if {@code requiredBytes} is not above 0
     */
    public static CapacityRange atLeast(long requiredBytes) {
        return new CapacityRange(requiredBytes, 0);
    }

    /**
     * Returns a range with both bounds.
     *
     * @param requiredBytes the smallest permitted size in bytes
     * @param limitBytes the largest permitted size in bytes
     * @throws IllegalArgumentException if the bounds permit no size
     */
    public static CapacityRange between(long requiredBytes, long limitBytes) {
        return new CapacityRange(requiredBytes, limitBytes);
    }
}
