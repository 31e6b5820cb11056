package io.csi4j.node;

/** Gets events about volumes on this node, on the executor, one event at a time for each volume. */
@FunctionalInterface
public interface NodeVolumeListener {
    /** Handles an event. This method has to be fast and must not block. If it throws, the exception is logged and the work continues. */
    void onEvent(NodeVolumeEvent event);

    /** Returns a listener that ignores all events. */
    static NodeVolumeListener none() {
        return event -> {};
    }
}
