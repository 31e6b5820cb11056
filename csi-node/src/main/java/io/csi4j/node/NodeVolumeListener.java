package io.csi4j.node;

/**
 * Receives events about volumes on this node. Runs on the executor of the node's volumes, one event at a time.
 */
@FunctionalInterface
public interface NodeVolumeListener {
    /**
     * Handles an event. This method has to be fast and must not block. If it throws, the exception is logged and the
     * work continues. While it blocks, at most 10,000 events wait; newer ones are dropped, and the log says so.
     */
    void onEvent(NodeVolumeEvent event);

    /** Returns a listener that ignores all events. */
    static NodeVolumeListener none() {
        return event -> {};
    }
}
