package io.csi4j.testkit.internal.storage;

/**
 * What a node holds of a volume.
 *
 * @param volume what it holds
 */
public record NodeUse(String nodeId, NodeVolume volume) {
    /**
     * The node and its paths, for a message.
     *
     * @return like {@code node-1 (/a, /b)}
     */
    @Override
    public String toString() {
        return nodeId + " (" + String.join(", ", volume.paths()) + ")";
    }
}
