package io.csi4j.node;

/**
 * Receives events about volumes on this node. Runs on the executor of the node's volumes, one event of a volume at a
 * time.
 */
@FunctionalInterface
public interface NodeVolumeListener {
    /** Handles an event. This method has to be fast and must not block. If it throws, the exception is logged and the work continues. */
    void onEvent(NodeVolumeEvent event);

    /** Returns a listener that ignores all events. */
    static NodeVolumeListener none() {
        return event -> {};
    }
}
