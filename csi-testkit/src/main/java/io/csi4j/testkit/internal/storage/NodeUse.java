package io.csi4j.testkit.internal.storage;

/** The use of a volume on a node. */
public record NodeUse(String nodeId, NodeVolume volume) {
    /** Returns the node and its paths for a message, like {@code node-1 (/a, /b)}. */
    @Override
    public String toString() {
        return nodeId + " (" + String.join(", ", volume.paths()) + ")";
    }
}
