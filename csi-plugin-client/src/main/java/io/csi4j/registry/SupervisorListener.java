package io.csi4j.registry;

/** Gets the events of plugins' tasks. */
@FunctionalInterface
public interface SupervisorListener {
    /** Handles an event. Calls come one after another, on the registry's executor. */
    void happened(PluginTaskEvent event);
}
