package io.csi4j.node;

/**
 * Hears of what happens to volumes on this node. Called on the executor, one event at a time for a volume.
 */
@FunctionalInterface
public interface NodeVolumeListener {
    /**
     * Something happened. Has to be short, and not to block; what it throws is logged, and the work goes on.
     *
     * @param event what
     */
    void onEvent(NodeVolumeEvent event);

    /**
     * A listener that does nothing.
     *
     * @return the listener
     */
    static NodeVolumeListener none() {
        return event -> {};
    }
}
