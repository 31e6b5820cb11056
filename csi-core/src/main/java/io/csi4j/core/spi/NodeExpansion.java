package io.csi4j.core.spi;

/**
 * What a node answered to an expansion.
 *
 * @param capacityBytes the size the allocation sees now; 0: the plugin did not tell
 */
public record NodeExpansion(long capacityBytes) {
    /**
     * Checks the size.
     *
     * @throws IllegalArgumentException if it is negative
     */
    public NodeExpansion {
        if (capacityBytes < 0) {
            throw new IllegalArgumentException(
                    "NodeExpansion: capacityBytes is " + capacityBytes + "; use 0 if the plugin did not tell");
        }
    }
}
