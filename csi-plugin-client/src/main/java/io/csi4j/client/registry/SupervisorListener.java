package io.csi4j.client.registry;

/** Gets the events of plugins' tasks. */
@FunctionalInterface
public interface SupervisorListener {
    /** Handles an event. The registry's executor runs one call after the other. */
    void onEvent(PluginTaskEvent event);
}
