package io.csi4j.core.csi;

/**
 * How large a volume has to be.
 *
 * @param requiredBytes at least this many bytes; 0 means not given
 * @param limitBytes at most this many bytes; 0 means not given
 */
public record CapacityRange(long requiredBytes, long limitBytes) {
    /**
     * Checks R23 and that the two bounds leave room for a size.
     *
     * @throws IllegalArgumentException if one is negative, both are 0, or the limit is below what is
     *     required
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
     * A size with no upper bound.
     *
     * @param requiredBytes at least this many bytes, above 0
     * @return the range
     * @throws IllegalArgumentException if not above 0
     */
    public static CapacityRange atLeast(long requiredBytes) {
        return new CapacityRange(requiredBytes, 0);
    }

    /**
     * A size between two bounds.
     *
     * @param requiredBytes at least this many bytes
     * @param limitBytes at most this many bytes
     * @return the range
     * @throws IllegalArgumentException if the bounds leave no room
     */
    public static CapacityRange between(long requiredBytes, long limitBytes) {
        return new CapacityRange(requiredBytes, limitBytes);
    }
}
