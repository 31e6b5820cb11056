package io.csi4j.core.spi;

/**
 * The response of a node to an expansion.
 *
 * @param capacityBytes the new capacity in bytes; 0 if the plugin reported none
 */
public record NodeExpansion(long capacityBytes) {
    /** @throws IllegalArgumentException if the capacity is negative */
    public NodeExpansion {
        if (capacityBytes < 0) {
            throw new IllegalArgumentException(
                    "NodeExpansion: capacityBytes is " + capacityBytes + "; use 0 if the plugin reported none");
        }
    }
}
