package io.csi4j.registry;

/** Is told of what happens to plugins' tasks. */
@FunctionalInterface
public interface SupervisorListener {
    /**
     * Something happened. Calls come one after another, on the registry's executor.
     *
     * @param event what
     */
    void happened(PluginTaskEvent event);
}
